import { ADDON_NAME_LABEL, ManagedCluster, ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import type { ControllerSpec, Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import type { ManagerContext } from '@orrery/kube/manager'
import type { AgentAddon } from '../agent-addon.js'

/** What the controllers of add-ons share. A hub with add-ons of its own makes one with its own informers. */
export interface AddonManagerContext extends ManagerContext {
  /** The add-ons to manage, by name. Add-ons of other names are ignored. */
  readonly agents: ReadonlyMap<string, AgentAddon>
  /** The label selector of the objects of `agents`, such as works and certificate requests. */
  readonly labelSelector: string
  readonly clusters: Informer<ManagedCluster>
  /** All ManagedClusterAddOns, including those of add-ons that are not in `agents`. */
  readonly addons: Informer<ManagedClusterAddOn>
  /** The works that `labelSelector` selects. */
  readonly works: Informer<ManifestWork>
  /** Wakes a controller for the ManagedClusterAddOns that `AddonManager.trigger` names. */
  readonly triggered: Wake
}

/** Creates controllers of add-ons. */
export type AddonPart = (context: AddonManagerContext) => readonly ControllerSpec[]

/** The context of the controllers for a fixed set of add-ons. Works and requests of other add-ons are not read. */
export function addonManagerContext(
  manager: ManagerContext,
  agents: ReadonlyMap<string, AgentAddon>,
  wakeFor: (addons: Informer<ManagedClusterAddOn>) => Wake,
): AddonManagerContext {
  const { informers } = manager
  const labelSelector = `${ADDON_NAME_LABEL} in (${[...agents.keys()].sort().join(',')})`
  const addons = informers.of(ManagedClusterAddOn)
  return {
    ...manager,
    agents,
    labelSelector,
    clusters: informers.of(ManagedCluster),
    addons,
    works: informers.of(ManifestWork, { labelSelector }),
    triggered: wakeFor(addons),
  }
}
