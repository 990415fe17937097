import {
  conflict,
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  formatTime,
  invalid,
  type JsonObject,
  type KubeObject,
  notFound,
} from '@orrery/kube'
import { checkDryRun } from '../request/options.js'
import type { Query } from '../request/query.js'
import { type Entry, HeadMoved } from '../store/types.js'
import type { VerbContext } from './context.js'
import { durable } from './modify.js'
import { encodeObject, isEmptyList, shallowCopy } from './objectmeta.js'
import { admissionRequest, type Registry } from './registry.js'

export interface DeleteOptions {
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined
  readonly uid: string | undefined
  readonly resourceVersion: string | undefined
  readonly dryRun: boolean
  /** The client said `orphanDependents: false` and is told 202 while dependents are still there. */
  readonly cascadeAsked: boolean
}

export interface DeleteResult {
  readonly object: KubeObject
  /** False while finalizers or a grace period keep the object. */
  readonly gone: boolean
}

export const ORPHAN_FINALIZER = 'orphan'
export const FOREGROUND_FINALIZER = 'foregroundDeletion'

/** Reads delete options from the body, else from the query. Throws a 422 that names the field. */
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

/** Deletes one object, or marks it for deletion while something still holds it. */
export async function remove(registry: Registry, context: VerbContext, options: DeleteOptions): Promise<DeleteResult> {
  const { bucket } = context.logic.resource.storage
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
  const admission = admissionRequest(context, 'DELETE', {
    object: undefined,
    oldObject: served,
    dryRun: options.dryRun,
    options: deleteOptionsObject(options),
  })
  await registry.admission.mutate(admission)
  await registry.admission.validate(admission)

  const marked = shallowCopy(stored)
  const meta = marked.metadata
  const finalizers = finalizersAfterDelete(context, options, stored)
  const grace = gracePeriod(context, options, stored)
  const held = finalizers.length > 0 || logic.holdsDeletion(stored) || grace > 0
  if (!held) {
    if (!options.dryRun)
      await registry.store.remove(head.bucket, head.namespace, head.name, head, (revision) =>
        encodeObject(marked, revision),
      )
    return { object: await logic.fromStorage(marked), gone: true }
  }
  if (isEmptyList(finalizers)) delete meta.finalizers
  else meta.finalizers = finalizers
  const changed = markDeleted(registry, meta, stored, grace)
  if (!changed && sameFinalizers(finalizers, stored.metadata.finalizers)) {
    await durable(registry, head)
    return { object: served, gone: false }
  }
  logic.prepare(marked, stored, 'delete')
  if (!options.dryRun)
    await registry.store.put(head.bucket, head.namespace, head.name, head, (revision) => encodeObject(marked, revision))
  return { object: await logic.fromStorage(marked), gone: false }
}

/** Sets or shortens the deletion mark. Returns whether anything changed. */
function markDeleted(registry: Registry, meta: KubeObject['metadata'], stored: KubeObject, grace: number): boolean {
  const now = registry.clock.now().getTime()
  const old = stored.metadata
  if (old.deletionTimestamp === undefined) {
    meta.deletionTimestamp = formatTime(new Date(now + grace * 1000))
    meta.deletionGracePeriodSeconds = grace
    if ((meta.generation ?? 0) > 0) meta.generation = (meta.generation ?? 0) + 1
    return true
  }
  const oldGrace = old.deletionGracePeriodSeconds ?? 0
  if (grace >= oldGrace) return false
  const start = Date.parse(old.deletionTimestamp) - oldGrace * 1000
  meta.deletionTimestamp = formatTime(new Date(Math.max(start + grace * 1000, now)))
  meta.deletionGracePeriodSeconds = grace
  return true
}

const DEFAULT_POD_GRACE_SECONDS = 30

/** How long a delete waits for the node; 0 for everything that does not run. */
function gracePeriod(context: VerbContext, options: DeleteOptions, object: KubeObject): number {
  if (!context.logic.traits.gracefulDeletion) return 0
  const spec = (object.spec ?? {}) as { nodeName?: string; terminationGracePeriodSeconds?: number }
  const phase = (object.status as { phase?: string } | undefined)?.phase
  const asked = options.gracePeriodSeconds
  if (spec.nodeName === undefined || spec.nodeName === '' || phase === 'Failed' || phase === 'Succeeded') return 0
  const current =
    object.metadata.deletionTimestamp === undefined ? undefined : object.metadata.deletionGracePeriodSeconds
  const grace = asked ?? current ?? spec.terminationGracePeriodSeconds ?? DEFAULT_POD_GRACE_SECONDS
  return grace < 0 ? 1 : grace
}

/** The finalizers an object has once its deletion was asked for, given what is to happen to its dependents. */
function finalizersAfterDelete(context: VerbContext, options: DeleteOptions, object: KubeObject): string[] {
  const current = object.metadata.finalizers ?? []
  const others = current.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER)
  switch (options.propagationPolicy) {
    case 'Orphan':
      return [...others, ORPHAN_FINALIZER]
    case 'Foreground':
      return [...others, FOREGROUND_FINALIZER]
    case 'Background':
      return others
    default:
      if (current.length > others.length) return [...current]
      return context.logic.traits.orphansByDefault ? [...others, ORPHAN_FINALIZER] : others
  }
}

function sameFinalizers(a: readonly string[], b: readonly string[] | undefined): boolean {
  return a.length === (b?.length ?? 0) && a.every((name, index) => name === b?.[index])
}

function checkPreconditions(context: VerbContext, options: DeleteOptions, object: KubeObject): void {
  // Clients know this failure by the kind, not by the resource as everywhere else.
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
