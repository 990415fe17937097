import type { JsonObject, JsonValue, KubeObject, ManagedFieldsEntry } from '@orrery/kinds'
import { jsonTypeName, wrongPatch } from '@orrery/kinds/patch'
import { badRequest, isObject, jsonEqual } from '@orrery/kinds/values'
import { difference, intersection, union } from './algebra.js'
import { type Conflict, conflictError } from './conflict.js'
import { UnkeyedItem } from './element.js'
import { type FieldSet, isEmpty } from './field-set.js'
import { fieldsOfLastApplied, KUBECTL, updateLastApplied } from './last-applied.js'
import { fieldsOf, isSameManager, type Manager, makeEntry, sortManagedFields, withFields } from './managers.js'
import { mergeApplied, settleNulls } from './merge.js'
import { fieldSetOf } from './owned.js'
import { pruneAbandoned } from './prune.js'
import { fitToSchema } from './reshape.js'
import { entriesLosing, trackUpdate } from './track.js'
import { UNOWNED } from './unowned.js'
import { invalidConfiguration } from './validate.js'
import { Changes, filtered, type ResourceShape, schemaAt, VersionedObject } from './versions.js'

export interface ApplyRequest extends ResourceShape {
  readonly kind: string
  /** The stored object; undefined if the apply creates it. */
  readonly live: KubeObject | undefined
  /** The configuration that the client sent. */
  readonly config: JsonValue
  readonly manager: string
  readonly force: boolean
  /** The current time, in RFC 3339 with seconds. */
  readonly time: string
  /** Empty for the resource itself. */
  readonly subresource: string
}

const BEFORE_FIRST_APPLY = 'before-first-apply'

/**
 * Server-side apply (KEP-555, structured-merge-diff): returns the object with the configuration merged, abandoned
 * fields removed and managed fields updated. An apply without changes returns the stored object, timestamps included.
 * Throws a conflict if it would change fields of other managers without force.
 */
export function applyPatch(request: ApplyRequest): KubeObject {
  const config = checkedConfig(request)
  const live = request.live ?? ({ apiVersion: request.apiVersion, kind: request.kind, metadata: {} } as KubeObject)
  const { object, managers } = mergeConfig(request, live, config)
  const marked = request.manager === KUBECTL ? updateLastApplied(object, config) : object
  return withManagedFields(marked, managers, live)
}

function checkedConfig(request: ApplyRequest): KubeObject {
  const { apiVersion, kind, schema } = request
  const config = request.config ?? {}
  if (!isObject(config)) {
    const into = `cannot unmarshal ${jsonTypeName(config)} into Go value of type map[string]interface {}`
    throw badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: json: ${into}`)
  }
  if (config.apiVersion !== apiVersion || config.kind !== kind) {
    throw badRequest(`invalid object type: ${formatKind(text(config.apiVersion), text(config.kind))}`)
  }
  const metadata = isObject(config.metadata) ? config.metadata : {}
  if (Array.isArray(metadata.managedFields)) throw badRequest('metadata.managedFields must be nil')
  const problem = invalidConfiguration(config, schema)
  if (problem !== undefined) {
    const what = `${text(metadata.namespace)}/${text(metadata.name)}; ${formatKind(apiVersion, kind)}`
    throw wrongPatch(`failed to create typed patch object (${what}): ${problem}`)
  }
  return { ...config, apiVersion, kind, metadata }
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** Formats a kind like Go: `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` in the core group. */
function formatKind(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`
}

interface Applied {
  readonly object: KubeObject
  readonly managers: ManagedFieldsEntry[]
}

function mergeConfig(request: ApplyRequest, live: KubeObject, config: KubeObject): Applied {
  try {
    return applyTo(request, live, config)
  } catch (error) {
    if (error instanceof UnkeyedItem) throw wrongPatch(`failed to merge config: ${error.message}`)
    throw error
  }
}

function applyTo(request: ApplyRequest, live: KubeObject, config: KubeObject): Applied {
  const by: Manager = {
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply',
    apiVersion: request.apiVersion,
    subresource: request.subresource,
  }
  const stored = knownManagers(request, live)
  const previous = stored.find((entry) => isSameManager(entry, by))
  const others = stored.filter((entry) => entry !== previous)
  const claimed = filtered(request, request.apiVersion, fieldSetOf(config as JsonObject, request.schema))
  const own = makeEntry(by, claimed, previous?.time)

  const merged = mergeApplied(live as JsonObject, config as JsonObject, request.schema)
  const object =
    previous === undefined
      ? merged
      : settleNulls(pruneAbandoned(request, merged, previous, [...others, own]), config as JsonObject, request.schema)
  const changes = new Changes(
    request,
    new VersionedObject(request, live as JsonObject),
    new VersionedObject(request, object),
  )
  if (!request.force) refuseConflicts(request, live, conflictsWith(others, changes))
  const changed = !jsonEqual(object, live as JsonObject)
  const fields = difference(claimed, UNOWNED)
  const managers = entriesLosing(others, changes)
  if (!isEmpty(fields)) managers.push(makeEntry(by, fields, changed ? request.time : previous?.time))
  return { object: changed ? (object as KubeObject) : live, managers }
}

/** Returns the managers of the live object, adapted to the current schema. Managers of unknown versions are dropped. */
function knownManagers(request: ApplyRequest, live: KubeObject): readonly ManagedFieldsEntry[] {
  const entries = live.metadata.managedFields ?? []
  const tracked = entries.length > 0 || request.live === undefined ? entries : beforeFirstApply(request, live)
  return tracked.flatMap((entry) => {
    const schema = schemaAt(request, entry.apiVersion ?? '')
    return schema === undefined ? [] : [withFields(entry, fitToSchema(fieldsOf(entry), schema))]
  })
}

/** Fields from before the first apply belong to a special manager, so that an apply can conflict with it. */
function beforeFirstApply(request: ApplyRequest, live: KubeObject): readonly ManagedFieldsEntry[] {
  const created = { ...request, live: undefined, updated: live, manager: BEFORE_FIRST_APPLY }
  return trackUpdate(created) ?? []
}

function conflictsWith(others: readonly ManagedFieldsEntry[], changes: Changes): Conflict[] {
  return others.flatMap((entry) => {
    const change = changes.at(entry.apiVersion ?? '')
    if (change === undefined) return []
    const fields = intersection(fieldsOf(entry), union(change.modified, change.added))
    return isEmpty(fields) ? [] : [{ with: entry, fields }]
  })
}

function refuseConflicts(request: ApplyRequest, live: KubeObject, conflicts: readonly Conflict[]): void {
  if (conflicts.length === 0) return
  if (request.manager !== KUBECTL) throw conflictError(conflicts)
  const taken = fieldsOfLastApplied(live, request.apiVersion, request.schema, !request.custom)
  const left = conflicts.flatMap((conflict) => {
    const fields: FieldSet = difference(conflict.fields, taken)
    return isEmpty(fields) ? [] : [{ with: conflict.with, fields }]
  })
  if (left.length > 0) throw conflictError(left)
}

function withManagedFields(object: KubeObject, managers: ManagedFieldsEntry[], live: KubeObject): KubeObject {
  const sorted = sortManagedFields(managers)
  const stored = live.metadata.managedFields
  if (jsonEqual(sorted as JsonValue[], (stored ?? []) as JsonValue[])) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata: sorted.length === 0 ? metadata : { ...metadata, managedFields: sorted } }
}
