import { AddonManager, type AddonManagerOptions } from '@orrery/addon'
import { type InstalledOn, installAddon } from './install.js'
import { type OvimAddonOptions, ovimAddon } from './ovim-addon.js'

export interface StartOvimAddonOptions extends OvimAddonOptions, Omit<AddonManagerOptions, 'eventSource' | 'metrics'> {
  /** The clusters that get the add-on, if it is new on this hub. Default `enabled`. */
  readonly installedOn?: InstalledOn
  /** Cancels the start. */
  readonly signal?: AbortSignal
}

/** Offers OVIM as an add-on of a hub: installs spoke agents on clusters, and registers them. Resolves when its controllers run. */
export async function startOvimAddon(options: StartOvimAddonOptions): Promise<Pick<AddonManager, 'health' | 'close'>> {
  const { client, leadership, clock, log, installedOn = 'enabled', signal } = options
  await installAddon(client, installedOn, { ...(signal !== undefined && { signal }) })
  const manager = new AddonManager({
    client,
    eventSource: 'ovim.io/addon',
    ...(leadership !== undefined && { leadership }),
    ...(clock !== undefined && { clock }),
    ...(log !== undefined && { log }),
  })
  manager.addAgent(ovimAddon(options))
  await manager.start(signal)
  return manager
}
