import type { Manifest } from '@orrery/addon'
import { ADDON, AGENT, HUB_DIRECTORY } from './names.js'

/** What the manifests of the agent depend on. */
export interface AgentSettings {
  readonly clusterName: string
  /** The namespace of the agent. */
  readonly namespace: string
  readonly image: string
}

const RBAC = 'rbac.authorization.k8s.io'

/** The agent on the managed cluster. */
export function agentManifests(settings: AgentSettings): Manifest[] {
  const { namespace } = settings
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: AGENT, namespace } },
    ...permissionsInCluster(namespace),
    ...permissionsInNamespace(namespace),
    deployment(settings),
  ]
}

function permissionsInCluster(namespace: string): Manifest[] {
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: AGENT },
      rules: [
        { apiGroups: [''], resources: ['pods', 'namespaces'], verbs: ['list'] },
        {
          apiGroups: ['cluster.open-cluster-management.io'],
          resources: ['clusterclaims'],
          verbs: ['get', 'list', 'create', 'patch', 'delete'],
        },
        // The owner of the claim.
        { apiGroups: [RBAC], resources: ['clusterrolebindings'], resourceNames: [AGENT], verbs: ['get'] },
      ],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: AGENT },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: AGENT },
      subjects: [{ kind: 'ServiceAccount', name: AGENT, namespace }],
    },
  ]
}

function permissionsInNamespace(namespace: string): Manifest[] {
  const metadata = { name: AGENT, namespace }
  return [
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update', 'patch'] },
        { apiGroups: ['apps'], resources: ['deployments'], resourceNames: [AGENT], verbs: ['get'] },
      ],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: RBAC, kind: 'Role', name: AGENT },
      subjects: [{ kind: 'ServiceAccount', name: AGENT, namespace }],
    },
  ]
}

function deployment({ clusterName, namespace, image }: AgentSettings): Manifest {
  const labels = { app: AGENT }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: AGENT, namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: AGENT,
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
  }
}
