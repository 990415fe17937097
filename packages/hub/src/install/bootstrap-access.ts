import {
  BOOTSTRAP_CLUSTER_ROLE,
  BOOTSTRAP_GROUP,
  BOOTSTRAP_SERVICE_ACCOUNT,
  CLUSTER_GROUP,
  DEFAULT_CLUSTER_SET,
  OPERATOR_NAMESPACE,
} from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, ServiceAccount, type Subject } from '@orrery/kinds'
import { created, ensured, type InstallStep } from './install-step.js'

/**
 * The permissions of agents that join: to request a certificate and to create their ManagedCluster. They authenticate with a
 * token of a service account, or with a bootstrap token.
 */
export function bootstrapAccess(): InstallStep[] {
  return [
    created(ServiceAccount, { metadata: { namespace: OPERATOR_NAMESPACE, name: BOOTSTRAP_SERVICE_ACCOUNT } }),
    ensured(ClusterRole, {
      metadata: { name: BOOTSTRAP_CLUSTER_ROLE },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
        {
          apiGroups: ['certificates.k8s.io'],
          resources: ['certificatesigningrequests'],
          verbs: ['create', 'get', 'list', 'watch'],
        },
        { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: ['get', 'create', 'list', 'watch'] },
        // Admission puts new clusters into this set, for which their creator needs the permission.
        {
          apiGroups: [CLUSTER_GROUP],
          resources: ['managedclustersets/join'],
          resourceNames: [DEFAULT_CLUSTER_SET],
          verbs: ['create'],
        },
      ],
    }),
    bootstrapBinding('agent-registration', {
      kind: 'ServiceAccount',
      namespace: OPERATOR_NAMESPACE,
      name: BOOTSTRAP_SERVICE_ACCOUNT,
    }),
    bootstrapBinding('managedcluster', { kind: 'Group', apiGroup: ClusterRole.group, name: BOOTSTRAP_GROUP }),
  ]
}

function bootstrapBinding(name: string, subject: Subject): InstallStep {
  return ensured(ClusterRoleBinding, {
    metadata: { name: `${BOOTSTRAP_CLUSTER_ROLE}:${name}` },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: BOOTSTRAP_CLUSTER_ROLE },
    subjects: [subject],
  })
}
