import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { union, withoutChanged } from './algebra.js'
import { isUnchanged } from './compare.js'
import { UnkeyedItem } from './element.js'
import { type FieldSet, isEmpty } from './field-set.js'
import {
  capUpdateManagers,
  fieldsOf,
  isSameManager,
  type Manager,
  makeEntry,
  parseManagedFields,
  sortManagedFields,
  withFields,
} from './managers.js'
import { Changes, compareAt, type ResourceShape, VersionedObject } from './versions.js'

export interface TrackRequest extends ResourceShape {
  /** The stored object; undefined for a create. */
  readonly live: KubeObject | undefined
  /** The object to be stored, complete except for its managed fields. */
  readonly updated: KubeObject
  readonly manager: string
  /** The current time, in RFC 3339 with seconds. */
  readonly time: string
  /** Empty for the resource itself. */
  readonly subresource: string
}

/**
 * Returns the managed fields of an object after a create, an update or a patch other than apply. The manager that
 * changes a field becomes its only owner. Returns undefined if the object is not tracked.
 */
export function trackUpdate(request: TrackRequest): readonly ManagedFieldsEntry[] | undefined {
  const { live } = request
  const before = live?.metadata.managedFields
  const entries = startingEntries(request)
  // An object that lost its managed fields is not tracked until it is applied to.
  if (entries.length === 0 && live !== undefined) return undefined
  try {
    const after = entries.length === 0 ? firstEntries(request) : entriesAfter(request, entries)
    return after.length === 0 ? undefined : after
  } catch (error) {
    // The schema cannot split the object, so the previous ownership stays.
    if (error instanceof UnkeyedItem) return before
    throw error
  }
}

const NO_ENTRIES: readonly ManagedFieldsEntry[] = []
const NO_OBJECT: JsonObject = {}

/** Returns the initial entries: those of the client if they are valid, otherwise the stored ones. */
function startingEntries(request: TrackRequest): readonly ManagedFieldsEntry[] {
  const stored = request.live?.metadata.managedFields ?? NO_ENTRIES
  if (request.subresource !== '') return stored
  const sent = request.updated.metadata.managedFields
  if (sent === undefined || sent === null || !Array.isArray(sent)) return stored
  if (isReset(sent)) return NO_ENTRIES
  if (jsonEqual(sent as JsonValue, stored as JsonValue[])) return stored
  try {
    return sortManagedFields(parseManagedFields(sent))
  } catch {
    // A client that does not understand managed fields must not be able to break them.
    return stored
  }
}

/** An empty list, or one empty entry, removes all managers. */
function isReset(sent: readonly ManagedFieldsEntry[]): boolean {
  if (sent.length > 1) return false
  const only = sent[0]
  return only === undefined || only === null || Object.keys(only).length === 0
}

/** The manager that creates an object owns its content, and no other manager loses anything. */
function firstEntries(request: TrackRequest): ManagedFieldsEntry[] {
  const { added, modified } = compareAt(
    request,
    request.apiVersion,
    request.schema,
    NO_OBJECT,
    request.updated as JsonObject,
  )
  const taken = union(added, modified)
  return isEmpty(taken) ? [] : [makeEntry(writerOf(request), taken, request.time)]
}

function writerOf({ manager, apiVersion, subresource }: TrackRequest): Manager {
  return { manager: manager === '' ? 'unknown' : manager, operation: 'Update', apiVersion, subresource }
}

function entriesAfter(request: TrackRequest, entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const { live, updated, apiVersion } = request
  const before = new VersionedObject(request, (live as JsonObject | undefined) ?? NO_OBJECT)
  const changes = new Changes(request, before, new VersionedObject(request, updated as JsonObject))
  const change = changes.at(apiVersion)
  if (change === undefined || isUnchanged(change)) return entries as ManagedFieldsEntry[]

  const taken = union(change.added, change.modified)
  const kept = entriesLosing(entries, changes)
  if (isEmpty(taken)) return kept
  return sortManagedFields(capUpdateManagers(entriesTaking(kept, writerOf(request), taken, request.time)))
}

/** Returns the entries without changed fields, and without entries that have none left. */
export function entriesLosing(entries: readonly ManagedFieldsEntry[], changes: Changes): ManagedFieldsEntry[] {
  const kept: ManagedFieldsEntry[] = []
  for (const entry of entries) {
    const change = changes.at(entry.apiVersion ?? '')
    if (change === undefined) continue
    const { added, modified, removed } = change
    const fields = withoutChanged(withoutChanged(withoutChanged(fieldsOf(entry), modified), added), removed)
    if (!isEmpty(fields)) kept.push(withFields(entry, fields))
  }
  return kept
}

function entriesTaking(
  entries: readonly ManagedFieldsEntry[],
  by: Manager,
  taken: FieldSet,
  time: string,
): ManagedFieldsEntry[] {
  const previous = entries.find((entry) => isSameManager(entry, by))
  const fields = previous === undefined ? taken : union(taken, fieldsOf(previous))
  return [...entries.filter((entry) => entry !== previous), makeEntry(by, fields, time)]
}
