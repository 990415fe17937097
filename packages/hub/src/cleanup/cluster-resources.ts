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
  removeFinalizer,
  requeueAfter,
  writeConditions,
} from '@orrery/kube'
import type { Requeue } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { inParallel } from '../parallel.js'
import { clusterReference } from '../registration/cluster-reference.js'
import { describeRemains, nextObjects } from './remains.js'

/** How often resources without an informer are listed again. */
const RECHECK_MILLISECONDS = 5_000
/** How long the deletion of objects without finalizers takes. Objects that are left then are reported with their finalizers. */
const DELETION_MILLISECONDS = 500

/**
 * Deletes the resources of a cluster on the hub when it is detached: resource by resource, within each by priority, the next
 * ones when those before are gone. The condition `Deleting` reports what is left and which finalizers hold it.
 */
export function clusterResources(context: HubContext): ControllerSpec {
  const { client, clock, events, informers } = context
  const resources = context.options.cleanupResources.map(kindNamed)
  const clusters = informers.of(ManagedCluster)
  const addOns = informers.of(ManagedClusterAddOn)
  const works = informers.metadataOf(ManifestWork)
  const seen = new Map([addOns, works].map((informer) => [resourceName(informer.kind), informer]))

  /** Wakes for a cluster that is being detached when the last object that is being deleted is gone. */
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

  /** The first resource with objects left. If informers have none, they are listed: there may be new ones. */
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
      // Not every hub serves every resource.
      if (isNotFound(error)) return []
      throw error
    }
  }

  async function report(cluster: ManagedCluster, finding: Omit<Finding, 'type'>, signal: AbortSignal): Promise<void> {
    const found = { type: ManagedClusterCondition.Deleting, ...finding }
    await writeConditions(client, ManagedCluster, cluster, [found], { clock, signal })
  }

  /** Deletes the next objects, and returns when to check again. */
  async function deleteNext(resource: Kind, objects: readonly ApiObject[], signal: AbortSignal): Promise<Requeue> {
    const next = nextObjects(objects).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const failures = await inParallel(next, ({ metadata }) => client.ensureDeleted(resource, metadata, { signal }))
    if (failures.length > 0) throw failures[0]
    return requeueAfter(next.length > 0 ? DELETION_MILLISECONDS : RECHECK_MILLISECONDS)
  }

  /** A cluster whose finalizers were removed by a user is gone before its resources. */
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
        await report(
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
      await report(cluster, { status: 'False', reason: ManagedClusterReason.ResourceRemaining, message }, signal)
      try {
        return await deleteNext(resource, objects, signal)
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        const message = `failed to clean up ${resource.plural}: ${why}`
        await report(cluster, { status: 'False', reason: ManagedClusterReason.DeletingError, message }, signal)
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
    throw new RangeError(`${JSON.stringify(name)} is not a resource: expected group/version/resource`)
  }
  return { group, version, plural, kind: plural, scope: 'Namespaced' }
}
