import { ADDON_NAMESPACE, INSTALL_NAMESPACE_ANNOTATION, type ManagedClusterAddOn } from '@orrery/api'
import type { AddonContext, AgentAddon } from '../agent-addon.js'

/**
 * The namespace of an add-on's agent on the managed cluster: what the add-on determines, else the installNamespace of a
 * ManagedClusterAddOn that was created in v1alpha1, else `open-cluster-management-agent-addon`.
 */
export async function installNamespaceOf(
  agent: Pick<AgentAddon, 'agentInstallNamespace'>,
  addon: ManagedClusterAddOn,
  context: AddonContext,
): Promise<string> {
  const determined = await agent.agentInstallNamespace?.(addon, context)
  return determined || addon.metadata.annotations?.[INSTALL_NAMESPACE_ANNOTATION] || ADDON_NAMESPACE
}
