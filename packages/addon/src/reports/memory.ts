import type { ApiObject, Kind } from '@orrery/kinds'
import { resourceName } from '@orrery/kinds/values'
import type { AddonAgent } from '../addon-agent.js'

interface Entry {
  readonly object: ApiObject
  readonly readAt: number
}

/** How long the last known state of a report is trusted. Then it is read again, to find changes that others have made. */
const TRUSTED_MILLISECONDS = 300_000

const memories = new WeakMap<AddonAgent, Map<string, Entry>>()

/**
 * The last known state of an object that an agent reports; undefined if it is unknown or old. It saves a request to the hub for
 * every report that has not changed.
 */
export function recall<T extends ApiObject>(
  agent: AddonAgent,
  kind: Kind<T, object>,
  name: string,
  trustedMilliseconds = TRUSTED_MILLISECONDS,
): T | undefined {
  const entry = memories.get(agent)?.get(keyOf(kind, name))
  if (entry === undefined || agent.clock.elapsed() - entry.readAt >= trustedMilliseconds) return undefined
  return entry.object as T
}

export function remember<T extends ApiObject>(agent: AddonAgent, kind: Kind<T, object>, object: T): T {
  const entries = memories.get(agent) ?? new Map<string, Entry>()
  memories.set(agent, entries)
  entries.set(keyOf(kind, object.metadata.name), { object, readAt: agent.clock.elapsed() })
  return object
}

export function forget(agent: AddonAgent, kind: Kind<ApiObject, object>, name: string): void {
  memories.get(agent)?.delete(keyOf(kind, name))
}

function keyOf(kind: Kind<ApiObject, object>, name: string): string {
  return `${resourceName(kind)}/${name}`
}
