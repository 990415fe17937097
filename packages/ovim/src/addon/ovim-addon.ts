import {
  type AgentAddon,
  agentSubject,
  DEPLOYMENT_CONFIG,
  defaultApprover,
  installNamespaceFromConfig,
  withDeploymentConfig,
} from '@orrery/addon'
import type { ManagedClusterAddOn } from '@orrery/api'
import { agentManifests } from './manifests.js'
import { AGENT_IMAGE, AGENT_NAMESPACE, API_PORT, OVIM_ADDON } from './names.js'
import { grantZone } from './zone-access.js'

export interface OvimAddonOptions {
  /** The URL at which agents reach the hub service. */
  readonly endpoint: string
  /** The authority of its certificate, in PEM. Undefined: agents trust the authorities of their system. */
  readonly certificateAuthority: () => string | undefined
  /** The image of the agent. Default `orrery.dev/ovim-spoke-agent:latest`. */
  readonly image?: string
  /** The port of the agent's local API on a cluster. Default 8080. Embedded clusters of one machine share its ports. */
  readonly apiPort?: (clusterName: string) => number | Promise<number>
}

/**
 * OVIM as an add-on: on every cluster that has it, it installs the spoke agent with the permissions that it needs there, and lets
 * the agent act for the zone of its cluster on the hub. The agent uses the credentials of the add-on's registration.
 */
export function ovimAddon(options: OvimAddonOptions): AgentAddon {
  const { endpoint, certificateAuthority, image = `${AGENT_IMAGE}:latest`, apiPort = () => API_PORT } = options
  return {
    name: OVIM_ADDON,
    // Nodes, images, proxies and compute resources are as in the AddOnDeploymentConfig.
    manifests: withDeploymentConfig(OVIM_ADDON, async (cluster, addon) => {
      const clusterName = cluster.metadata.name
      return agentManifests({
        clusterName,
        namespace: addon.status?.namespace || AGENT_NAMESPACE,
        image,
        endpoint,
        certificateAuthority: certificateAuthority(),
        apiPort: await apiPort(clusterName),
        hasToken: usesToken(addon),
      })
    }),
    supportedConfigs: [DEPLOYMENT_CONFIG],
    agentInstallNamespace: async (addon, context) =>
      (await installNamespaceFromConfig(addon, context)) ?? AGENT_NAMESPACE,
    registration: {
      configurations: ({ metadata }) => [{ type: 'kubeClient', ...agentSubject(metadata.name, OVIM_ADDON) }],
      approve: defaultApprover(),
      permissions: grantZone,
    },
    // The agent is ready when the hub has accepted its report.
    healthProber: { type: 'DeploymentAvailability' },
  }
}

/** Whether the agent of the cluster gets a token instead of a certificate. */
function usesToken({ status }: ManagedClusterAddOn): boolean {
  const registration = status?.registrations?.find(({ type }) => type === 'kubeClient')
  return registration?.kubeClient?.driver === 'token'
}
