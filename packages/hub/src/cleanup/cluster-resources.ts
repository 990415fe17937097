import {
  CLUSTER_RESOURCES_FINALIZER,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
  ManagedClusterReason,
  ManifestWork,
  RegistrationEvent,
} from '@orrery/api'
import type { ApiObject, Kind } from '@orrery/kinds'
import { type Finding, isNotFound, resourceName } from '@orrery/kinds/values'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  hasFinalizer,
  type Informer,
  isBeingDeleted,
  type Requeue,
  removeFinalizer,
  requeueAfter,
  writeConditions,
} from '@orrery/kube'
import type { HubContext } from '../context.js'
import { inParallel } from '../parallel.js'
import { clusterReference } from '../registration/cluster-reference.js'
import { describeRemains, nextToGo } from './remains.js'

/** What nobody tells of is looked at this often. */
const LOOK_AGAIN_MILLISECONDS = 5_000
/** How long objects that nothing holds take to go. What is still there then is reported with its finalizers. */
const GOING_MILLISECONDS = 500

/**
 * Takes what a cluster had on the hub away when it is detached: resource after resource, within each by priority, the
 * next when all before are gone. The condition `Deleting` says what is left and who holds it.
 */
export function clusterResources(context: HubContext): ControllerSpec {
  const { client, clock, events, informers } = context
  const resources = context.options.cleanupResources.map(kindNamed)
  const clusters = informers.of(ManagedCluster)
  const addOns = informers.metadataOf(ManagedClusterAddOn)
  const works = informers.metadataOf(ManifestWork)
  const seen = new Map([addOns, works].map((informer) => [resourceName(informer.kind), informer]))

  /** Wakes for a cluster that is being detached when the last of what had to go next is gone. */
  const eachLast = (informer: Informer) =>
    each(
      informer,
      ({ metadata: { namespace: name = '' } }) => {
        const cluster = clusters.get({ name })
        if (cluster === undefined || !isBeingDeleted(cluster)) return undefined
        return informer.list(name).some(isBeingDeleted) ? undefined : { name }
      },
      { when: ({ type }) => type === 'deleted' },
    )

  /** The first resource of which there is anything left. What informers do not see is asked for: it may be new. */
  async function remaining(namespace: string, signal: AbortSignal): Promise<[Kind, ApiObject[]] | undefined> {
    for (const resource of resources) {
      const known = seen.get(resourceName(resource))?.list(namespace) ?? []
      const objects = known.length > 0 ? known : await list(resource, namespace, signal)
      if (objects.length > 0) return [resource, objects]
    }
    return undefined
  }

  async function list(resource: Kind, namespace: string, signal: AbortSignal): Promise<ApiObject[]> {
    try {
      return (await client.list(resource, { namespace, signal })).items
    } catch (error) {
      // Not every hub has every resource.
      if (isNotFound(error)) return []
      throw error
    }
  }

  async function say(cluster: ManagedCluster, finding: Omit<Finding, 'type'>, signal: AbortSignal): Promise<void> {
    const found = { type: ManagedClusterCondition.Deleting, ...finding }
    await writeConditions(client, ManagedCluster, cluster, [found], { clock, signal })
  }

  /** Deletes what goes next, and returns when to look at it again. */
  async function deleteNext(resource: Kind, objects: readonly ApiObject[], signal: AbortSignal): Promise<Requeue> {
    const going = nextToGo(objects).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const failures = await inParallel(going, ({ metadata }) => client.ensureDeleted(resource, metadata, { signal }))
    if (failures.length > 0) throw failures[0]
    return requeueAfter(going.length > 0 ? GOING_MILLISECONDS : LOOK_AGAIN_MILLISECONDS)
  }

  /** A cluster whose finalizers somebody took off is gone before what it had. */
  async function cleanUpAfter(name: string, signal: AbortSignal): Promise<Requeue | undefined> {
    const left = await remaining(name, signal)
    if (left === undefined || (await client.find(ManagedCluster, { name }, { signal })) !== undefined) return undefined
    return deleteNext(...left, signal)
  }

  return {
    name: 'cluster-resources',
    concurrency: 10,
    wakes: [
      each(clusters, undefined, {
        when: ({ before, after }) =>
          before === undefined ||
          after === undefined ||
          isBeingDeleted(before) !== isBeingDeleted(after) ||
          hasFinalizer(before, CLUSTER_RESOURCES_FINALIZER) !== hasFinalizer(after, CLUSTER_RESOURCES_FINALIZER),
      }),
      eachLast(addOns),
      eachLast(works),
    ],
    async reconcile(ref, { signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined) return cleanUpAfter(ref.name, signal)
      if (!isBeingDeleted(cluster)) {
        await addFinalizer(client, ManagedCluster, cluster, CLUSTER_RESOURCES_FINALIZER, { signal })
        return
      }
      if (!hasFinalizer(cluster, CLUSTER_RESOURCES_FINALIZER)) return
      const left = await remaining(ref.name, signal)
      if (left === undefined) {
        const { NoResource } = ManagedClusterReason
        await say(
          cluster,
          { status: 'True', reason: NoResource, message: 'No cleaned resource in cluster ns.' },
          signal,
        )
        await removeFinalizer(client, ManagedCluster, cluster, CLUSTER_RESOURCES_FINALIZER, { signal })
        events.record({
          regarding: clusterReference(cluster),
          reason: RegistrationEvent.CleanupCompleted,
          note: `resources in cluster ${ref.name} are cleaned up`,
        })
        return
      }
      const [resource, objects] = left
      const message = describeRemains(resource.plural, objects)
      await say(cluster, { status: 'False', reason: ManagedClusterReason.ResourceRemaining, message }, signal)
      try {
        return await deleteNext(resource, objects, signal)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        const message = `failed to clean up ${resource.plural}: ${why}`
        await say(cluster, { status: 'False', reason: ManagedClusterReason.DeletingError, message }, signal)
        events.record({
          regarding: clusterReference(cluster),
          type: 'Warning',
          reason: RegistrationEvent.CleanupFailed,
          note: message,
        })
        throw error
      }
    },
  }
}

/** `group/version/resource`. */
function kindNamed(name: string): Kind {
  const [group, version, plural] = name.split('/')
  if (group === undefined || version === undefined || plural === undefined) {
    throw new RangeError(`${JSON.stringify(name)} names no resource: expected group/version/resource`)
  }
  return { group, version, plural, kind: plural, scope: 'Namespaced' }
}
