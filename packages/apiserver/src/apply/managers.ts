import type { JsonObject, JsonValue, ManagedFieldsEntry } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { unionOf } from './algebra.js'
import { EMPTY, type FieldSet } from './field-set.js'
import { parseFieldSet } from './fields-v1.js'

/** The part of a managedFields entry that identifies a manager. */
export interface Manager {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource: string
}

export function makeEntry(by: Manager, fields: FieldSet, time: string | undefined): ManagedFieldsEntry {
  const { manager, operation, apiVersion, subresource } = by
  return {
    manager,
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: fields as JsonObject,
    ...(subresource !== '' && { subresource }),
  }
}

export function fieldsOf(entry: ManagedFieldsEntry): FieldSet {
  return (entry.fieldsV1 as FieldSet | undefined) ?? EMPTY
}

export function withFields(entry: ManagedFieldsEntry, fields: FieldSet): ManagedFieldsEntry {
  return fields === entry.fieldsV1 ? entry : { ...entry, fieldsV1: fields as JsonObject }
}

/** An applier is the same in every version; an updater has one entry for each version. */
export function isSameManager(entry: ManagedFieldsEntry, other: ManagedFieldsEntry | Manager): boolean {
  return (
    entry.manager === other.manager &&
    entry.operation === other.operation &&
    (entry.operation === 'Apply' || entry.apiVersion === other.apiVersion) &&
    (entry.subresource ?? '') === (other.subresource ?? '')
  )
}

/** Returns a string that identifies a manager and sorts managers as in error messages. */
export function managerKey(entry: ManagedFieldsEntry): string {
  const { manager, operation, subresource } = entry
  const apiVersion = operation === 'Apply' ? undefined : entry.apiVersion
  return JSON.stringify({ manager, operation, apiVersion, subresource })
}

/** Parses entries that a client sent. Throws an `Error` with the problem. */
export function parseManagedFields(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const parsed = new Map<string, ManagedFieldsEntry>()
  for (const [index, entry] of entries.entries()) {
    if (!isObject(entry as JsonValue)) throw new Error(`managed fields entry ${index} is not an object`)
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      throw new Error('operation must be `Apply` or `Update`')
    }
    if (typeof entry.apiVersion !== 'string' || entry.apiVersion === '') throw new Error('apiVersion must not be empty')
    const type = entry.fieldsType ?? ''
    if (type !== 'FieldsV1') {
      const problem = type === '' ? 'missing fieldsType' : `invalid fieldsType ${JSON.stringify(type)}`
      throw new Error(`${problem} in managed fields entry ${index}`)
    }
    const by: Manager = {
      manager: entry.manager ?? '',
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      subresource: entry.subresource ?? '',
    }
    parsed.set(managerKey(entry), makeEntry(by, parseFieldSet(entry.fieldsV1), entry.time))
  }
  return [...parsed.values()]
}

/** Sorts in place: appliers before updaters, then oldest first, then by name. */
export function sortManagedFields(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  return entries.length < 2 ? entries : entries.sort(compareEntries)
}

function compareEntries(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a.time) - secondsOf(b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  )
}

function compareText(a = '', b = ''): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function secondsOf(time: string | undefined): number {
  if (time === undefined) return 0
  const milliseconds = Date.parse(time)
  return Number.isNaN(milliseconds) ? 0 : Math.floor(milliseconds / 1000)
}

/** The maximum number of update entries of an object. */
const MAX_UPDATE_MANAGERS = 10
const MERGED_UPDATES = 'ancient-changes'

/** The updaters of one version that become one entry. Their fields are united once: a client can send many updaters. */
interface MergedUpdates {
  readonly fields: FieldSet[]
  time: string | undefined
}

/** Merges the oldest updaters of a version into one entry until the limit is met. */
export function capUpdateManagers(entries: readonly ManagedFieldsEntry[]): ManagedFieldsEntry[] {
  const updaters = entries.filter((entry) => entry.operation === 'Update')
  let excess = updaters.length - MAX_UPDATE_MANAGERS
  if (excess <= 0) return entries as ManagedFieldsEntry[]
  const kept = new Set(entries)
  const earlier = new Map<string, ManagedFieldsEntry>()
  for (const entry of updaters) {
    const version = entry.apiVersion ?? ''
    if (!earlier.has(version) && isSameManager(entry, mergedManager(version))) earlier.set(version, entry)
  }
  const oldest = new Map<string, ManagedFieldsEntry>()
  const merges = new Map<string, MergedUpdates>()
  for (const entry of updaters.sort(compareAge)) {
    if (excess === 0) break
    const version = entry.apiVersion ?? ''
    const first = oldest.get(version)
    if (first === undefined) {
      oldest.set(version, entry)
      continue
    }
    let merged = merges.get(version)
    if (merged === undefined) {
      const known = earlier.get(version)
      const target = known === undefined || known === entry ? first : known
      kept.delete(target)
      merged = { fields: [fieldsOf(target)], time: undefined }
      merges.set(version, merged)
    }
    kept.delete(entry)
    merged.fields.push(fieldsOf(entry))
    merged.time = entry.time
    excess--
  }
  for (const [version, { fields, time }] of merges) kept.add(makeEntry(mergedManager(version), unionOf(fields), time))
  return [...kept]
}

function mergedManager(apiVersion: string): Manager {
  return { manager: MERGED_UPDATES, operation: 'Update', apiVersion, subresource: '' }
}

function compareAge(a: ManagedFieldsEntry, b: ManagedFieldsEntry): number {
  return secondsOf(a.time) - secondsOf(b.time) || compareText(managerKey(a), managerKey(b))
}
