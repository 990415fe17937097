import type { KubeObject } from '@orrery/kinds'
import type { Namespace } from '@orrery/kinds/core'
import { type Requeue, requeueAfter } from '@orrery/kube/controller'
import { inTurns } from '../fairness/turns.js'
import { bucketOf, type ResourceRef } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { deleteAll } from './delete-all.js'
import { namespaceConditions, type Remains } from './namespace-conditions.js'
import { NAMESPACES, PODS } from './resources.js'

const FINALIZER = 'kubernetes'
const FINALIZERS = Buffer.from('"finalizers"')

/** Times in objects have no fractions of a second. */
const TIME_STEP_MS = 1000

/** A namespace that is being deleted. */
interface Ending {
  readonly uid: string | undefined
  /** When its content is deleted, in elapsed time. */
  readonly dueAt: number
}

/**
 * The namespace controller: deletes the content of namespaces that are being deleted, then removes their finalizer.
 * Like kube-controller-manager it waits first: `kubectl delete -f` of a file that starts with its Namespace deletes the
 * other objects individually.
 */
export function namespaces(context: ControllerContext): Controller {
  const { store, client, clock } = context
  const terminating = new Map<string, Ending>()

  /** Counted from the deletion, also if the server was stopped meanwhile. */
  function endingOf({ metadata: { name = '', uid, deletionTimestamp = '' } }: KubeObject): Ending {
    const known = terminating.get(name)
    if (known !== undefined && known.uid === uid) return known
    const grace = context.namespaceDeletionGraceSeconds * 1000
    const passed = clock.now().getTime() - Date.parse(deletionTimestamp) - TIME_STEP_MS
    const ending = { uid, dueAt: clock.elapsed() + grace - Math.min(Math.max(passed, 0), grace) }
    terminating.set(name, ending)
    return ending
  }

  async function reconcile(name: string): Promise<Requeue | undefined> {
    const namespace = client.get(NAMESPACES, '', name)
    if (namespace?.metadata.deletionTimestamp === undefined || !finalizersOf(namespace).includes(FINALIZER)) {
      terminating.delete(name)
      return undefined
    }
    const wait = endingOf(namespace).dueAt - clock.elapsed()
    if (wait > 0) return requeueAfter(wait)
    await empty(namespace, name)
    return undefined
  }

  async function empty(namespace: KubeObject, name: string): Promise<void> {
    // Writes that were admitted before the namespace was marked are durable and visible after this.
    await store.flushed()
    const failures = await deleteContent(context, name)
    await store.flushed()
    const remains = await remainsOf(context, name)
    if (remains.resources.size === 0 && failures.length === 0) return finalize(context, namespace, remains)
    await client.change(NAMESPACES, '', name, (live) => withConditions(context, live, remains, failures), 'status')
    if (failures.length > 0) throw failures[0]
  }

  return reconciler(context, {
    name: 'namespaces',
    wakes: {
      namespaces({ type, entry }) {
        if (type !== 'DELETED') return entry.bytes.includes('"deletionTimestamp"') ? entry.name : undefined
        terminating.delete(entry.name)
        return undefined
      },
    },
    wakesOnEvery: ({ entry }) =>
      terminating.size > 0 && terminating.has(entry.namespace) ? entry.namespace : undefined,
    first: () =>
      client
        .list(NAMESPACES)
        .filter(isDeleted)
        .map((namespace) => namespace.metadata.name ?? ''),
    reconcile,
  })
}

function isDeleted({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

function finalizersOf(namespace: KubeObject): readonly string[] {
  return (namespace.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []
}

/** Returns every resource with objects in a namespace, once for all its versions. */
function contentOf({ catalog, store }: ControllerContext, namespace: string): ResourceRef[] {
  const seen = new Set<string>()
  const content: ResourceRef[] = []
  for (const { group, plural, namespaced, verbs, storage } of catalog.resources()) {
    const ref = { group, resource: plural }
    // A resource can be served by two groups; the group of its storage is used.
    if (!namespaced || !verbs.includes('delete') || bucketOf(ref) !== storage.bucket || seen.has(storage.bucket))
      continue
    seen.add(storage.bucket)
    if (store.count(storage.bucket, namespace) > 0) content.push(ref)
  }
  return content
}

/**
 * Deletes pods first: objects that protect them, such as network policies, must not be deleted while they run
 * (KEP-5080).
 */
async function deleteContent(context: ControllerContext, namespace: string): Promise<Error[]> {
  const { store, client } = context
  const deleteOf = (ref: ResourceRef) =>
    deleteAll(client, ref, store.page({ bucket: bucketOf(ref), namespace }).entries)
  const failures = await deleteOf(PODS)
  await store.flushed()
  if (store.count(bucketOf(PODS), namespace) > 0) return failures
  return [...failures, ...(await Promise.all(contentOf(context, namespace).map(deleteOf))).flat()]
}

/** Reads the objects in turns: a namespace can have many and large ones. */
async function remainsOf(context: ControllerContext, namespace: string): Promise<Remains> {
  const resources = new Map<string, number>()
  const finalizers = new Map<string, number>()
  for (const ref of contentOf(context, namespace)) {
    const { entries } = context.store.page({ bucket: bucketOf(ref), namespace })
    resources.set(`${ref.resource}.${ref.group}`, entries.length)
    await inTurns(`namespace ${namespace}`, entries, (entry) => {
      if (!entry.bytes.includes(FINALIZERS)) return
      for (const name of entry.object().metadata.finalizers ?? []) {
        finalizers.set(name, (finalizers.get(name) ?? 0) + 1)
      }
    })
  }
  return { resources, finalizers }
}

function withConditions(
  { clock }: ControllerContext,
  live: KubeObject,
  remains: Remains,
  failures: readonly Error[],
): KubeObject {
  const { status } = live as Pick<Namespace, 'status'>
  const conditions = namespaceConditions(status?.conditions, remains, failures, clock.now())
  return { ...live, status: { ...status, phase: 'Terminating', conditions } }
}

async function finalize(context: ControllerContext, namespace: KubeObject, remains: Remains): Promise<void> {
  const { name = '', uid } = namespace.metadata
  await context.client.change(
    NAMESPACES,
    '',
    name,
    (live) => {
      if (live.metadata.uid !== uid) return live
      const finalizers = finalizersOf(live).filter((finalizer) => finalizer !== FINALIZER)
      return {
        ...withConditions(context, live, remains, []),
        spec: { ...(live.spec as object | undefined), finalizers },
      }
    },
    'finalize',
  )
}
