import type { Manifest } from '@orrery/addon'
import { DELETION_ORPHAN_ANNOTATION } from '@orrery/api'
import type { PolicyRule } from '@orrery/kinds'
import { PERMISSIONS, type Permission } from '../agent/permissions.js'
import { AGENT, CA_DIRECTORY, HUB_DIRECTORY, OVIM_ADDON } from './names.js'

/** What the manifests of the agent depend on. */
export interface AgentSettings {
  readonly clusterName: string
  /** The namespace of the agent. */
  readonly namespace: string
  readonly image: string
  readonly endpoint: string
  readonly certificateAuthority: string | undefined
  readonly apiPort: number
  /** Whether the credentials for the hub are a token. Otherwise they are a client certificate. */
  readonly hasToken: boolean
}

const RBAC = 'rbac.authorization.k8s.io'

/** The agent on the managed cluster, with its permissions. */
export function agentManifests(settings: AgentSettings): Manifest[] {
  const { namespace, certificateAuthority } = settings
  const account = { kind: 'ServiceAccount', name: AGENT, namespace }
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      // On a cluster that is also the hub, it has the public catalogs: it stays when the add-on is disabled.
      metadata: { name: namespace, annotations: { [DELETION_ORPHAN_ANNOTATION]: '' } },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: AGENT, namespace } },
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: AGENT }, rules: rulesOf(({ own }) => !own) },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: AGENT },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: AGENT },
      subjects: [account],
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: AGENT, namespace },
      rules: rulesOf(({ own }) => own === true),
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: AGENT, namespace },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: AGENT },
      subjects: [account],
    },
    ...(certificateAuthority === undefined
      ? []
      : [
          {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            metadata: { name: CA_CONFIG, namespace },
            data: { 'ca.crt': certificateAuthority },
          },
        ]),
    networkPolicy(settings),
    deployment(settings),
  ]
}

const CA_CONFIG = 'ovim-hub-ca'
const LABELS = { app: AGENT }

function rulesOf(isWanted: (permission: Permission) => boolean): PolicyRule[] {
  return PERMISSIONS.filter(isWanted).map(({ group, resource, subresource, verbs }) => ({
    apiGroups: [group],
    resources: [subresource === undefined ? resource : `${resource}/${subresource}`],
    verbs: [...verbs],
  }))
}

/** Only the local API accepts connections. */
function networkPolicy({ namespace, apiPort }: AgentSettings): Manifest {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: AGENT, namespace },
    spec: {
      podSelector: { matchLabels: LABELS },
      policyTypes: ['Ingress'],
      ingress: [{ ports: [{ protocol: 'TCP', port: apiPort }] }],
    },
  } as Manifest
}

function deployment(settings: AgentSettings): Manifest {
  const { namespace, image, apiPort, certificateAuthority } = settings
  const probe = (path: string) => ({ httpGet: { path, port: apiPort, scheme: 'HTTPS' } })
  const hasAuthority = certificateAuthority !== undefined
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: AGENT, namespace, labels: LABELS },
    spec: {
      replicas: 1,
      // Two agents of one cluster would share the operations of its zone.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: {
          serviceAccountName: AGENT,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'agent',
              image,
              imagePullPolicy: 'IfNotPresent',
              env: Object.entries(environment(settings)).map(([name, value]) => ({ name, value })),
              ports: [{ name: 'api', containerPort: apiPort }],
              livenessProbe: { ...probe('/health/live'), initialDelaySeconds: 15, periodSeconds: 20 },
              readinessProbe: { ...probe('/health/ready'), periodSeconds: 5 },
              resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '512Mi' } },
              // It passes the Pod Security Standard `restricted`. It writes no files.
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'hub-credentials', mountPath: HUB_DIRECTORY, readOnly: true },
                ...(hasAuthority ? [{ name: 'hub-ca', mountPath: CA_DIRECTORY, readOnly: true }] : []),
              ],
            },
          ],
          volumes: [
            // The agent of the cluster creates the Secret: the pod starts when the add-on is registered.
            { name: 'hub-credentials', secret: { secretName: `${OVIM_ADDON}-hub-kubeconfig` } },
            ...(hasAuthority ? [{ name: 'hub-ca', configMap: { name: CA_CONFIG } }] : []),
          ],
        },
      },
    },
  } as Manifest
}

function environment(settings: AgentSettings): Record<string, string> {
  const { clusterName, namespace, endpoint, apiPort, certificateAuthority, hasToken } = settings
  return {
    OVIM_AGENT_ID: `ovim-spoke-${clusterName}`,
    OVIM_CLUSTER_ID: clusterName,
    OVIM_HUB_ENDPOINT: endpoint,
    OVIM_NAMESPACE: namespace,
    OVIM_API_PORT: String(apiPort),
    ...(hasToken
      ? { OVIM_HUB_TOKEN_FILE: `${HUB_DIRECTORY}/token` }
      : { OVIM_HUB_CERT_PATH: `${HUB_DIRECTORY}/tls.crt`, OVIM_HUB_KEY_PATH: `${HUB_DIRECTORY}/tls.key` }),
    ...(certificateAuthority !== undefined && { OVIM_HUB_CA_PATH: `${CA_DIRECTORY}/ca.crt` }),
  }
}
