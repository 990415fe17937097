import {
  type AgentAddon,
  agentSubject,
  DEPLOYMENT_CONFIG,
  defaultApprover,
  feedback,
  grantRole,
  installNamespaceFromConfig,
  withDeploymentConfig,
} from '@orrery/addon'
import { agentManifests } from './manifests.js'
import { ADDON, AGENT, IMAGE } from './names.js'

/** Fifth strategy: the works report the replicas of the agent. The agent needs no code for it. */
const replicas = feedback({
  // Any namespace: the AddOnDeploymentConfig determines it.
  resource: { group: 'apps', resource: 'deployments', name: AGENT, namespace: '*' },
  values: {
    readyReplicas: { type: 'Integer', path: '.status.readyReplicas', missing: 0 },
    availableReplicas: { type: 'Integer', path: '.status.availableReplicas', missing: 0 },
  },
})

/** What the agents may do on the hub, in the namespace of their cluster. */
const HUB_RULES = [
  { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'patch'] },
  { apiGroups: ['addon.open-cluster-management.io'], resources: ['managedclusteraddons'], verbs: ['get'] },
  { apiGroups: ['addon.open-cluster-management.io'], resources: ['managedclusteraddons/status'], verbs: ['patch'] },
  {
    apiGroups: ['cluster.open-cluster-management.io'],
    resources: ['addonplacementscores'],
    verbs: ['get', 'create', 'patch'],
  },
  { apiGroups: ['cluster.open-cluster-management.io'], resources: ['addonplacementscores/status'], verbs: ['patch'] },
]

/** The add-on as the controller on the hub manages it. */
export function basicAddon({ image = IMAGE }: { readonly image?: string } = {}): AgentAddon {
  return {
    name: ADDON,
    // Nodes, images, proxies and compute resources are as in the AddOnDeploymentConfig.
    manifests: withDeploymentConfig(ADDON, (cluster, addon) =>
      agentManifests({ clusterName: cluster.metadata.name, namespace: addon.status?.namespace ?? '', image }),
    ),
    supportedConfigs: [DEPLOYMENT_CONFIG],
    agentInstallNamespace: installNamespaceFromConfig,
    registration: {
      configurations: (cluster) => [{ type: 'kubeClient', ...agentSubject(cluster.metadata.name, ADDON) }],
      approve: defaultApprover(),
      permissions: grantRole({ name: `open-cluster-management:${ADDON}:agent`, rules: HUB_RULES }),
    },
    healthProber: {
      type: 'Work',
      probe: replicas.probe(({ readyReplicas }) => {
        if (readyReplicas < 1) throw new Error(`no replica of ${AGENT} is ready`)
      }),
    },
  }
}
