import type { JsonObject, KubeObject } from '@orrery/kinds'
import { conflict, type FieldError, fieldInvalid, fieldNotSupported, invalid, notFound } from '@orrery/kinds/values'
import { checkDryRun } from '../request/options.js'
import type { Query } from '../request/query.js'
import { type Entry, HeadMoved } from '../store/types.js'
import type { VerbContext } from './context.js'
import { markDeletion } from './deletion-mark.js'
import { durable } from './modify.js'
import { encodeObject, shallowCopy } from './object-meta.js'
import { PendingWrite, type Registry } from './registry.js'

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly dryRun: boolean
  /** Whether the client set `orphanDependents: false` and gets a 202 while dependents exist. */
  readonly cascadeAsked: boolean
}

export interface DeleteResult {
  readonly object: KubeObject
  /** False while finalizers or a grace period keep the object. */
  readonly gone: boolean
}

/** Parses delete options from the body, or else from the query. Throws a 422 with the field. */
export function parseDeleteOptions(body: JsonObject | undefined, query: Query): DeleteOptions {
  const errors: FieldError[] = []
  const from = body ?? optionsFromQuery(query)
  const policy = from.propagationPolicy as string | undefined
  const orphan = from.orphanDependents as boolean | undefined
  if (policy !== undefined && orphan !== undefined) {
    errors.push(
      fieldInvalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    )
  } else if (policy !== undefined && !POLICIES.includes(policy)) {
    errors.push(fieldNotSupported('propagationPolicy', policy, [...POLICIES, 'nil']))
  }
  const dryRun = checkDryRun((from.dryRun as string[] | undefined) ?? [], errors)
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors)
  const preconditions = (from.preconditions ?? {}) as { uid?: string; resourceVersion?: string }
  return {
    gracePeriodSeconds: from.gracePeriodSeconds as number | undefined,
    propagationPolicy: (policy ?? policyOf(orphan)) as DeleteOptions['propagationPolicy'],
    uid: preconditions.uid,
    resourceVersion: preconditions.resourceVersion,
    dryRun,
    cascadeAsked: orphan === false,
  }
}

const POLICIES = ['Foreground', 'Background', 'Orphan']

function policyOf(orphan: boolean | undefined): string | undefined {
  if (orphan === undefined) return undefined
  return orphan ? 'Orphan' : 'Background'
}

function optionsFromQuery(query: Query): JsonObject {
  const options: JsonObject = {}
  const grace = query.integer('gracePeriodSeconds')
  if (grace !== undefined) options.gracePeriodSeconds = grace
  if (query.get('propagationPolicy') !== '') options.propagationPolicy = query.get('propagationPolicy')
  if (query.has('orphanDependents')) options.orphanDependents = query.flag('orphanDependents')
  if (query.has('dryRun')) options.dryRun = [...query.all('dryRun')]
  return options
}

/** Deletes an object, or marks it for deletion while finalizers or a grace period keep it (REST storage: Delete). */
export async function remove(registry: Registry, context: VerbContext, options: DeleteOptions): Promise<DeleteResult> {
  const { bucket } = context.logic.resource.storage
  const { deletionWarning } = context.logic.traits
  if (deletionWarning !== undefined && options.propagationPolicy === undefined) context.warnings.push(deletionWarning)
  const on = { group: context.logic.resource.group, resource: context.logic.resource.plural }
  for (;;) {
    const head = registry.store.head(bucket, context.namespace, context.name)
    if (head === undefined) throw notFound(on, context.name)
    try {
      return await removeOnce(registry, context, options, head)
    } catch (error) {
      if (!(error instanceof HeadMoved)) throw error
    }
  }
}

async function removeOnce(
  registry: Registry,
  context: VerbContext,
  options: DeleteOptions,
  head: Entry,
): Promise<DeleteResult> {
  const { logic } = context
  const stored = head.object()
  checkPreconditions(context, options, stored)
  const served = await logic.fromStorage(stored)
  const admission = new PendingWrite(context, 'DELETE', {
    object: undefined,
    oldObject: served,
    dryRun: options.dryRun,
    options: deleteOptionsObject(options),
  })
  await registry.admission.mutate(admission)
  await registry.admission.validate(admission)

  const { metadata, isHeld } = markDeletion(stored, options, logic, registry.clock.now())
  const marked = shallowCopy(stored)
  if (metadata !== undefined) {
    marked.metadata = metadata
    logic.prepare(marked, stored, 'delete')
  } else if (isHeld) {
    await durable(registry, head)
    return { object: served, gone: false }
  }
  // A webhook is asked before the write: the request can be refused while it waits.
  const shown = logic.convertsRemotely ? await logic.fromStorage(marked) : undefined
  if (!options.dryRun) await write(registry, head, marked, isHeld, logic.traits.gracefulDeletion)
  const object = shown === undefined ? await logic.fromStorage(marked) : withRevisionOf(marked, shown)
  return { object, gone: !isHeld }
}

function withRevisionOf({ metadata }: KubeObject, shown: KubeObject): KubeObject {
  return { ...shown, metadata: { ...shown.metadata, resourceVersion: metadata.resourceVersion ?? '' } }
}

/** Writes the mark or the removal. Objects with graceful deletion are marked first, even with a grace period of 0. */
async function write(
  { store }: Registry,
  head: Entry,
  marked: KubeObject,
  isHeld: boolean,
  endsGracefully: boolean,
): Promise<void> {
  const { bucket, namespace, name } = head
  const encode = (revision: number) => encodeObject(marked, revision)
  const isMarked = marked.metadata.deletionTimestamp !== head.object().metadata.deletionTimestamp
  if (!isHeld && !(endsGracefully && isMarked)) {
    await store.remove(bucket, namespace, name, head, encode)
    return
  }
  const marking = store.put(bucket, namespace, name, head, encode)
  const last = store.head(bucket, namespace, name)
  // Both share one flush, and no other write comes in between.
  const ending = isHeld || last === undefined ? undefined : store.remove(bucket, namespace, name, last, encode)
  await Promise.all([marking, ending])
}

function checkPreconditions(context: VerbContext, options: DeleteOptions, object: KubeObject): void {
  // This error names the kind instead of the resource, as in kube-apiserver.
  const on = { group: context.logic.resource.group, resource: context.logic.resource.kind }
  const { uid, resourceVersion } = object.metadata
  if (options.uid !== undefined && options.uid !== uid) {
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`
    throw conflict(on, context.name, why)
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`
    throw conflict(on, context.name, why)
  }
}

function deleteOptionsObject(options: DeleteOptions): JsonObject {
  const object: JsonObject = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1' }
  if (options.gracePeriodSeconds !== undefined) object.gracePeriodSeconds = options.gracePeriodSeconds
  if (options.propagationPolicy !== undefined) object.propagationPolicy = options.propagationPolicy
  if (options.dryRun) object.dryRun = ['All']
  return object
}
