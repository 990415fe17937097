import { isDNS1123Subdomain, isLabelValue } from '@orrery/kinds/values'
import type { AgentAddon } from '../agent-addon.js'

/** Adds an add-on to others. Throws if it has no valid name, or another add-on has the same one. */
export function addTo(agents: Map<string, AgentAddon>, addon: AgentAddon): void {
  const { name } = addon
  if (name === undefined || name === '') throw new TypeError('addon name should be set')
  // The name is also the value of a label of the works.
  const [problem] = [...isDNS1123Subdomain(name), ...isLabelValue(name)]
  if (problem !== undefined) throw new RangeError(`addon name ${JSON.stringify(name)} is not valid: ${problem}`)
  if (agents.has(name)) throw new Error('an agent is added for the addon already')
  const { hookTimeoutSeconds } = addon
  if (hookTimeoutSeconds !== undefined && !(hookTimeoutSeconds > 0)) {
    throw new RangeError(`hookTimeoutSeconds of addon ${JSON.stringify(name)} must be greater than 0`)
  }
  agents.set(name, addon)
}
