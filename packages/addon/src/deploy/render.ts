import type { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { AddonContext, AgentAddon, InstallMode, Manifest } from '../agent-addon.js'
import { checkedManifests } from './manifests.js'
import { type Rendered, renderedFor } from './rendered.js'

/** What an add-on has rendered for a cluster, or why it could not. */
export type Rendering =
  | { readonly manifests: readonly Manifest[]; readonly rendered: Rendered }
  | { readonly problem: string; readonly error: unknown }

/** Renders the manifests of an add-on: the only call of `manifests` in a reconcile. */
export async function render(
  agent: AgentAddon,
  cluster: ManagedCluster,
  addon: ManagedClusterAddOn,
  install: InstallMode,
  context: AddonContext,
): Promise<Rendering> {
  let returned: readonly Manifest[]
  try {
    returned = await agent.manifests(cluster, addon, context)
  } catch (error) {
    return { problem: `failed to get manifest from agent interface: ${textOf(error)}`, error }
  }
  try {
    const manifests = checkedManifests(returned)
    return { manifests, rendered: renderedFor(manifests, install, agent.hostedMode !== undefined) }
  } catch (error) {
    return { problem: `failed to build manifestwork: ${textOf(error)}`, error }
  }
}

/** The message of an error. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
