import {
  ADDON_GROUP,
  CLUSTER_GROUP,
  DRY_RUN_GROUP,
  FAILOVER_GROUP,
  HUB_NAMESPACE,
  KUBE_CLIENT_SIGNER,
  REGISTER_GROUP,
  WORK_GROUP,
} from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding, ServiceAccount } from '@orrery/kinds'
import { REGISTRATION_RULES, WORK_RULES } from '../registration/agentroles.js'
import { created, ensured, type InstallStep } from './install-step.js'
import { WEBHOOK_NAMESPACE_RULES, WEBHOOK_RULES } from './webhook-access.js'

/** The service account of a hub that runs in the cluster. */
export const HUB_SERVICE_ACCOUNT = 'orrery-hub'

/** The ClusterRole of that account, and its binding. */
export const HUB_CLUSTER_ROLE = 'open-cluster-management:orrery-hub'

const ALL = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']
const READ = ['get', 'list', 'watch']
const WRITE_STATUS = ['update', 'patch']

/** The permissions of a hub's controllers. They need the permissions that they grant to agents themselves. */
const RULES: readonly PolicyRule[] = [
  { apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: [...READ, 'create'] },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests/approval', 'certificatesigningrequests/status'],
    verbs: ['update'],
  },
  {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    resourceNames: [KUBE_CLIENT_SIGNER],
    verbs: ['approve'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: [...READ, 'create', 'update', 'patch'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  {
    apiGroups: [ClusterRole.group],
    resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
    verbs: ALL,
  },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ALL },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclusters'], verbs: [...READ, 'update', 'patch'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclustersets'], verbs: ALL },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclustersetbindings', 'placements'], verbs: READ },
  { apiGroups: [CLUSTER_GROUP], resources: ['placementdecisions'], verbs: [...READ, 'create', 'patch', 'delete'] },
  // Decisions are owned by their placement, and block its deletion in the foreground.
  { apiGroups: [CLUSTER_GROUP], resources: ['placements/finalizers'], verbs: ['update'] },
  { apiGroups: [CLUSTER_GROUP], resources: ['placements/status', 'placementdecisions/status'], verbs: WRITE_STATUS },
  { apiGroups: [FAILOVER_GROUP], resources: ['placementfailovers'], verbs: READ },
  { apiGroups: [FAILOVER_GROUP], resources: ['placementfailovers/status'], verbs: WRITE_STATUS },
  {
    apiGroups: [CLUSTER_GROUP],
    resources: ['managedclusters/status', 'managedclustersets/status', 'managedclustersetbindings/status'],
    verbs: WRITE_STATUS,
  },
  {
    apiGroups: [CLUSTER_GROUP],
    resources: ['managedclusterscores', 'addonplacementscores'],
    verbs: [...READ, 'create', 'patch'],
  },
  {
    apiGroups: [CLUSTER_GROUP],
    resources: ['managedclusterscores/status', 'addonplacementscores/status'],
    verbs: WRITE_STATUS,
  },
  { apiGroups: [CLUSTER_GROUP], resources: ['managedclustersets/join'], verbs: ['create'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworks'], verbs: [...ALL, 'deletecollection', 'execute-as'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets'], verbs: [...READ, 'update', 'patch', 'delete'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets/finalizers'], verbs: ['update'] },
  { apiGroups: [WORK_GROUP], resources: ['manifestworkreplicasets/status'], verbs: WRITE_STATUS },
  { apiGroups: [DRY_RUN_GROUP], resources: ['manifestworkdryruns'], verbs: [...READ, 'delete'] },
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons'], verbs: ALL },
  // Works of add-ons from templates are owned by their ManagedClusterAddOn, and block its deletion in the foreground.
  { apiGroups: [ADDON_GROUP], resources: ['managedclusteraddons/finalizers'], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons'], verbs: READ },
  { apiGroups: [ADDON_GROUP], resources: ['addontemplates', 'addondeploymentconfigs'], verbs: READ },
  // Add-ons are owned by their ClusterManagementAddOn, and block its deletion in the foreground.
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/finalizers'], verbs: ['update'] },
  { apiGroups: [ADDON_GROUP], resources: ['clustermanagementaddons/status'], verbs: WRITE_STATUS },
  { apiGroups: [''], resources: ['serviceaccounts'], verbs: [...READ, 'create', 'patch', 'delete'] },
  // The agents of clusters may request tokens for add-ons: see tokenRole.
  { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create', 'subscribe'] },
  { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/clientcertificates'], verbs: ['renew'] },
  { apiGroups: [REGISTER_GROUP], resources: ['managedclusters/accept'], verbs: ['update'] },
  ...REGISTRATION_RULES,
  ...WORK_RULES,
  ...WEBHOOK_RULES,
]

/** The service account of a hub that runs in the cluster, and its permissions. */
export function hubAccess(): InstallStep[] {
  const subjects = [{ kind: 'ServiceAccount', namespace: HUB_NAMESPACE, name: HUB_SERVICE_ACCOUNT }]
  const local = { namespace: HUB_NAMESPACE, name: HUB_CLUSTER_ROLE }
  return [
    created(ServiceAccount, { metadata: { namespace: HUB_NAMESPACE, name: HUB_SERVICE_ACCOUNT } }),
    ensured(ClusterRole, { metadata: { name: HUB_CLUSTER_ROLE }, rules: [...RULES] }),
    ensured(ClusterRoleBinding, {
      metadata: { name: HUB_CLUSTER_ROLE },
      roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: HUB_CLUSTER_ROLE },
      subjects,
    }),
    ensured(Role, { metadata: local, rules: [...WEBHOOK_NAMESPACE_RULES] }),
    ensured(RoleBinding, {
      metadata: local,
      roleRef: { apiGroup: ClusterRole.group, kind: 'Role', name: HUB_CLUSTER_ROLE },
      subjects,
    }),
  ]
}
