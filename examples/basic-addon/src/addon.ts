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
import { ADDON, AGENT, IMAGE, REPORTS } from './names.js'

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
  // Permission to create an object cannot be limited to a name.
  { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  { apiGroups: [''], resources: ['configmaps'], resourceNames: [REPORTS.configMap], verbs: ['get', 'patch'] },
  {
    apiGroups: ['addon.open-cluster-management.io'],
    resources: ['managedclusteraddons'],
    resourceNames: [ADDON],
    verbs: ['get'],
  },
  {
    apiGroups: ['addon.open-cluster-management.io'],
    resources: ['managedclusteraddons/status'],
    resourceNames: [ADDON],
    verbs: ['patch'],
  },
  { apiGroups: ['cluster.open-cluster-management.io'], resources: ['addonplacementscores'], verbs: ['create'] },
  {
    apiGroups: ['cluster.open-cluster-management.io'],
    resources: ['addonplacementscores'],
    resourceNames: [REPORTS.score],
    verbs: ['get', 'patch'],
  },
  {
    apiGroups: ['cluster.open-cluster-management.io'],
    resources: ['addonplacementscores/status'],
    resourceNames: [REPORTS.score],
    verbs: ['patch'],
  },
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
