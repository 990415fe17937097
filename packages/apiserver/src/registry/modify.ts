import type { KubeObject } from '@orrery/kinds'
import { addAll, conflict, fieldInvalid, invalid, jsonEqual, membersEqual, notFound } from '@orrery/kinds/values'
import { isNoOpWrite } from '../apply/no-op.js'
import { type Entry, HeadMoved } from '../store/types.js'
import type { WriteContext } from './context.js'
import { encodeObject, isEmptyList, shallowCopy } from './object-meta.js'
import { dropDuplicateOwners } from './owner-references.js'
import { claimUpdated } from './ownership.js'
import { optionsObject, PendingWrite, type Registry, settle } from './registry.js'
import { putObject, type WriteResult } from './write-result.js'

export const MODIFIED_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again'

/** The maximum number of retries of a change that waits for webhooks and conflicts with other writes. */
const MAX_ATTEMPTS = 20

export interface Modification {
  /**
   * Returns the new object for the live one (in the version of the request) without modifying it. A `resourceVersion`
   * in the result that differs from the live one is a 409.
   */
  change(live: KubeObject): KubeObject | Promise<KubeObject>
  readonly options: 'UpdateOptions' | 'PatchOptions'
  /** Whether the result already has its managed fields (server-side apply). */
  readonly ownsFields?: boolean
  /**
   * Whether the live object itself as the result ends the modification. Requests need admission and validation also
   * without changes.
   */
  readonly endsUnchanged?: boolean
}

/**
 * Replaces an object by the result of `change` (upstream: GuaranteedUpdate). Every PUT, PATCH and writing subresource
 * uses it.
 */
export async function modify(
  registry: Registry,
  context: WriteContext,
  modification: Modification,
): Promise<WriteResult> {
  const { bucket } = context.logic.resource.storage
  for (let attempt = 1; ; attempt++) {
    const head = registry.store.head(bucket, context.namespace, context.name)
    if (head === undefined) throw notFound(named(context), context.name)
    try {
      return await attemptOnce(registry, context, modification, head)
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error
      if (attempt === MAX_ATTEMPTS) throw conflict(named(context), context.name, MODIFIED_MESSAGE)
    }
  }
}

async function attemptOnce(
  registry: Registry,
  context: WriteContext,
  modification: Modification,
  head: Entry,
): Promise<WriteResult> {
  const { logic, options } = context
  // Awaits only actual promises: otherwise no other write can come between reading the head and writing.
  const reading = logic.fromStorage(head.object())
  const live = reading instanceof Promise ? await reading : reading
  const changing = modification.change(live)
  const result = changing instanceof Promise ? await changing : changing
  if (modification.endsUnchanged === true && result === live && live.metadata.deletionTimestamp === undefined) {
    await durable(registry, head)
    return { object: live, entry: head, created: false }
  }
  const changed = shallowCopy(result)
  checkPreconditions(context, modification, changed, live)
  beforeUpdate(context, changed, live)
  if (modification.options === 'UpdateOptions') dropDuplicateOwners(changed.metadata, 'as sent', context.warnings)
  if (modification.ownsFields !== true) claimUpdated(context, changed, live, registry.clock)

  const admission = new PendingWrite(context, 'UPDATE', {
    object: changed,
    oldObject: live,
    dryRun: options.dryRun,
    options: optionsObject(modification.options, options),
  })
  const mutating = registry.admission.mutate(admission)
  if (mutating !== undefined) await mutating
  const object = admission.object ?? changed
  // Webhooks can change every field, also those that belong to the server or to another endpoint.
  if (object !== changed) beforeUpdate(context, object, live)
  dropDuplicateOwners(object.metadata, 'after admission', context.warnings)
  logic.prepare(object, live, context.subresource)
  bumpGeneration(context, object, live)
  const errors = logic.validateUpdate(object, live, context.subresource)
  if (errors.length > 0) throw invalid(logic.resource, context.name, errors)
  admission.object = object
  return settle(admission, async () => {
    const validating = registry.admission.validate(admission)
    if (validating !== undefined) await validating
    addAll(context.warnings, logic.warnings(object, live))
    return write(registry, context, head, object, live)
  })
}

async function write(
  registry: Registry,
  context: WriteContext,
  head: Entry,
  object: KubeObject,
  live: KubeObject,
): Promise<WriteResult> {
  const { logic, options } = context
  object.metadata.resourceVersion = live.metadata.resourceVersion ?? ''
  if (isFinished(context, object)) return removeFinished(registry, context, head, object)
  if (isNoOpWrite(live, object, logic.resource.schema, logic.resource.custom)) {
    await durable(registry, head)
    return { object: live, entry: head, created: false }
  }
  const converting = logic.toStorage(object)
  const stored = converting instanceof Promise ? await converting : converting
  if (options.dryRun) return { object, entry: undefined, created: false }
  return { object, entry: await putObject(registry, context, head, object, stored), created: false }
}

function named(context: WriteContext): { group: string; resource: string } {
  return { group: context.logic.resource.group, resource: context.logic.resource.plural }
}

function checkPreconditions(
  context: WriteContext,
  modification: Modification,
  changed: KubeObject,
  live: KubeObject,
): void {
  const { metadata } = changed
  const isReplaced = modification.options === 'UpdateOptions'
  if (isReplaced && metadata.uid !== undefined && metadata.uid !== '' && metadata.uid !== live.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${live.metadata.uid}`
    throw conflict(named(context), context.name, why)
  }
  const version = metadata.resourceVersion ?? ''
  if (version === '' || version === '0') {
    if (context.logic.traits.allowUnconditionalUpdate) return
    const { group, plural } = context.logic.resource
    throw invalid({ group, kind: plural }, context.name, [
      fieldInvalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  }
  if (version !== live.metadata.resourceVersion) throw conflict(named(context), context.name, MODIFIED_MESSAGE)
}

/** Restores fields that a client or this endpoint cannot change (`rest.BeforeUpdate`). */
function beforeUpdate(context: WriteContext, object: KubeObject, live: KubeObject): void {
  const meta = object.metadata
  const old = live.metadata
  if (meta.uid === undefined || meta.uid === '') keep(meta, old, 'uid')
  if (meta.name === undefined || meta.name === '') keep(meta, old, 'name')
  keep(meta, old, 'creationTimestamp')
  keep(meta, old, 'generation')
  // No client can remove the deletion timestamp; validation refuses to set it.
  if (old.deletionTimestamp !== undefined) meta.deletionTimestamp = old.deletionTimestamp
  if (old.deletionGracePeriodSeconds !== undefined) meta.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds
  if (!context.logic.traits.hasStatus) return
  if (context.subresource === '') {
    if (live.status === undefined) delete object.status
    else object.status = live.status
  } else if (context.subresource === 'status') keepAllButStatus(context, object, live)
}

function keepAllButStatus(context: WriteContext, object: KubeObject, live: KubeObject): void {
  for (const key of Object.keys(object)) {
    if (key !== 'status' && key !== 'metadata' && !Object.hasOwn(live, key)) delete object[key]
  }
  for (const key of Object.keys(live)) if (key !== 'status' && key !== 'metadata') object[key] = live[key]
  const meta = object.metadata
  if (context.logic.resource.custom) {
    const managedFields = meta.managedFields
    object.metadata = { ...live.metadata }
    if (managedFields === undefined) delete object.metadata.managedFields
    else object.metadata.managedFields = managedFields
    return
  }
  for (const name of context.logic.traits.statusKeeps) keep(meta, live.metadata, name)
}

function keep<T extends object, K extends keyof T>(target: T, source: T, key: K): void {
  if (source[key] === undefined) delete target[key]
  else target[key] = source[key]
}

const NOT_SPEC: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status'])
/** Kinds with a generation but without a status subresource count every field except metadata. */
const NOT_SPEC_WITHOUT_STATUS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Subresources that do not change the desired state: the status, or the node that a scheduler selected. */
const WITHOUT_GENERATION: ReadonlySet<string> = new Set(['status', 'binding'])

function bumpGeneration(context: WriteContext, object: KubeObject, live: KubeObject): void {
  if (!context.logic.traits.generation || WITHOUT_GENERATION.has(context.subresource)) return
  const except = context.logic.traits.hasStatus ? NOT_SPEC : NOT_SPEC_WITHOUT_STATUS
  const counted = context.logic.traits.generationCounts
  const changed =
    !membersEqual(object, live, except) ||
    (counted !== 'spec' && !jsonEqual(object.metadata[counted] ?? {}, live.metadata[counted] ?? {}))
  if (changed) object.metadata.generation = (live.metadata.generation ?? 0) + 1
}

/** Returns whether the last finalizer of a deleted object was removed, so that this write removes the object. */
function isFinished(context: WriteContext, object: KubeObject): boolean {
  const meta = object.metadata
  return (
    meta.deletionTimestamp !== undefined &&
    (meta.deletionGracePeriodSeconds ?? 0) === 0 &&
    isEmptyList(meta.finalizers) &&
    !context.logic.holdsDeletion(object)
  )
}

async function removeFinished(
  registry: Registry,
  context: WriteContext,
  head: Entry,
  object: KubeObject,
): Promise<WriteResult> {
  if (context.options.dryRun) return { object, entry: undefined, created: false }
  const stored = await context.logic.toStorage(object)
  await registry.store.remove(head.bucket, head.namespace, head.name, head, (revision) =>
    encodeObject(stored, revision),
  )
  return { object, entry: undefined, created: false }
}

/** Resolves when an entry from the head is durable, so that clients do not see what a crash could undo. */
export function durable(registry: Registry, entry: Entry): Promise<void> {
  if (registry.store.revision >= entry.revision) return Promise.resolve()
  return registry.store.flushed()
}
