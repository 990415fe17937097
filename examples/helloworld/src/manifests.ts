import type { Manifest } from '@orrery/addon'
import { ADDON, AGENT, HUB_DIRECTORY, SERVICE_ACCOUNT } from './names.js'

/** What the manifests of the agent depend on. */
export interface AgentSettings {
  readonly clusterName: string
  /** The namespace of the agent. */
  readonly namespace: string
  readonly image: string
}

/** The agent on the managed cluster: it needs only its own namespace. */
export function agentManifests({ clusterName, namespace, image }: AgentSettings): Manifest[] {
  const labels = { app: AGENT }
  const own = { name: AGENT, namespace }
  const rbac = 'rbac.authorization.k8s.io'
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: SERVICE_ACCOUNT, namespace } },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: own,
      rules: [
        {
          apiGroups: [''],
          resources: ['configmaps'],
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
        },
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
        { apiGroups: ['apps'], resources: ['deployments'], resourceNames: [AGENT], verbs: ['get'] },
        { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: own,
      roleRef: { apiGroup: rbac, kind: 'Role', name: AGENT },
      subjects: [{ kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace }],
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...own, labels },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            serviceAccountName: SERVICE_ACCOUNT,
            securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
            containers: [
              {
                name: AGENT,
                image,
                imagePullPolicy: 'IfNotPresent',
                args: [
                  'agent',
                  `--hub-kubeconfig=${HUB_DIRECTORY}/kubeconfig`,
                  `--cluster-name=${clusterName}`,
                  `--addon-namespace=${namespace}`,
                  `--addon-name=${ADDON}`,
                ],
                // It passes the Pod Security Standard `restricted`. It writes no files.
                securityContext: {
                  allowPrivilegeEscalation: false,
                  readOnlyRootFilesystem: true,
                  capabilities: { drop: ['ALL'] },
                },
                volumeMounts: [{ name: 'hub-config', mountPath: HUB_DIRECTORY, readOnly: true }],
              },
            ],
            // The agent of the cluster creates the Secret: the pod starts when the add-on is registered.
            volumes: [{ name: 'hub-config', secret: { secretName: `${ADDON}-hub-kubeconfig` } }],
          },
        },
      },
    },
  ]
}
