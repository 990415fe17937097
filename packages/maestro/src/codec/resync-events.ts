import { isObject } from '@orrery/kinds/values'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { Extension } from './extensions.js'
import { jsonBytes, jsonData, newEvent } from './new-event.js'

export interface SpecResync {
  /** The ID of the agent. */
  readonly agentId: string
  readonly clusterName: string
  /** The source whose works are requested. Empty for all. */
  readonly originalSource: string
  /** The versions of the works that the agent has, by resource ID. */
  readonly versions: ReadonlyMap<string, number>
}

/** The event with which an agent requests all works that it does not have in their current version. */
export function specResyncRequest({ agentId, clusterName, originalSource, versions }: SpecResync): CloudEvent {
  const resourceVersions = [...versions].map(([resourceID, resourceVersion]) => ({ resourceID, resourceVersion }))
  return newEvent({
    source: agentId,
    subResource: 'spec',
    action: 'resync_request',
    extensions: { [Extension.ClusterName]: clusterName, [Extension.OriginalSource]: originalSource },
    data: jsonBytes({ resourceVersions }),
  })
}

/** The versions in a spec resync request, by resource ID. Throws `CodecError`. */
export function readSpecResync(event: CloudEvent): Map<string, number> {
  return entries(event, 'resourceVersions', 'resourceVersion', (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined,
  )
}

export interface StatusResync {
  readonly source: string
  /** The cluster whose statuses are requested. Empty for all. */
  readonly clusterName: string
  /** The hashes of the statuses that the source has, by resource ID. None: all statuses are requested. */
  readonly hashes: ReadonlyMap<string, string>
}

/** The event with which a source requests all statuses that it does not have. */
export function statusResyncRequest({ source, clusterName, hashes }: StatusResync): CloudEvent {
  const statusHashes = [...hashes].map(([resourceID, statusHash]) => ({ resourceID, statusHash }))
  return newEvent({
    source,
    subResource: 'status',
    action: 'resync_request',
    extensions: { [Extension.ClusterName]: clusterName, [Extension.OriginalSource]: '' },
    data: jsonBytes({ statusHashes }),
  })
}

/** The hashes in a status resync request, by resource ID. Throws `CodecError`. */
export function readStatusResync(event: CloudEvent): Map<string, string> {
  return entries(event, 'statusHashes', 'statusHash', (value) => (typeof value === 'string' ? value : undefined))
}

/** Reads `{<list>: [{resourceID, <field>}]}`. Go writes null for an empty list. */
function entries<T>(
  event: CloudEvent,
  list: string,
  field: string,
  readValue: (value: unknown) => T | undefined,
): Map<string, T> {
  const data = jsonData(event)
  const items = isObject(data) ? (data[list] ?? []) : undefined
  if (!Array.isArray(items)) throw new CodecError(`the data of the resync request has no list ${list}`)
  const found = new Map<string, T>()
  for (const item of items) {
    const id = isObject(item) ? item.resourceID : undefined
    const value = isObject(item) ? readValue(item[field]) : undefined
    if (typeof id !== 'string' || value === undefined) {
      throw new CodecError(`an item of ${list} in the resync request lacks a valid resourceID or ${field}`)
    }
    found.set(id, value)
  }
  return found
}
