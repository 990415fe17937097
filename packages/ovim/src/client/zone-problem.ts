import { findCondition } from '@orrery/kinds/values'
import type { Zone } from '../kinds/zone.js'

/** Zones by name; undefined if the user may not read them. */
export type Zones = ReadonlyMap<string, Zone> | undefined

/** Why the agent of a zone does not work on its operations; undefined if it does. */
export function zoneProblem(name: string, zones: Zones): string | undefined {
  if (zones === undefined) return undefined
  const zone = zones.get(name)
  if (zone === undefined) return `zone ${name} does not exist any more`
  const connected = findCondition(zone.status?.conditions, 'AgentConnected')
  if (connected?.status === 'True') return undefined
  return `zone ${name} is disconnected: ${connected?.message ?? 'its agent has not reported yet'}`
}
