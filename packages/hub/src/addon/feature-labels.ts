import {
  ADDON_FEATURE_LABEL_PREFIX,
  AddOnCondition,
  AddOnFeature,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, generationChanged, isBeingDeleted, requeueAfter } from '@orrery/kube'
import { anyOf, conditionChanged, labelsChanged } from '@orrery/kube/controller'
import { changeLabels } from '@orrery/kube/write'
import type { HubContext } from '../context.js'

/** The part of a label key after its prefix has at most 63 characters: of these `addon-` takes six. */
const MAX_NAME_LENGTH = 57

/** A cluster with more labels is not written for each change of an add-on: see `pauseAfter`. */
const MANY_LABELS = 100

/** Labels clusters with the state of their add-ons, for placements to select by. */
export function featureLabels({ client, informers, clock }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const addOns = informers.of(ManagedClusterAddOn)
  /** By cluster: when the pause after its last write ends. Only clusters with many labels have one. */
  const pauses = new Map<string, number>()
  return {
    name: 'addon-feature-labels',
    concurrency: 10,
    wakes: [
      each(clusters, undefined, {
        when: anyOf<ManagedCluster>(labelsChanged, conditionChanged(ManagedClusterCondition.Available)),
      }),
      each(addOns, ({ metadata }) => ({ name: metadata.namespace }), {
        when: anyOf<ManagedClusterAddOn>(generationChanged, conditionChanged(AddOnCondition.Available)),
      }),
    ],
    async reconcile(ref, { signal }) {
      const cluster = clusters.get(ref)
      const rest = (pauses.get(ref.name) ?? 0) - clock.elapsed()
      // Before the add-ons are read: that takes longer with each of them, too.
      if (rest > 0 && cluster !== undefined) return requeueAfter(rest)
      pauses.delete(ref.name)
      if (cluster === undefined || isBeingDeleted(cluster)) return undefined
      // A cluster that has not joined has no add-ons to select by.
      if (findCondition(cluster.status?.conditions, ManagedClusterCondition.Available) === undefined) return undefined
      const wanted = addOns
        .list(ref.name)
        .filter((addOn) => !isBeingDeleted(addOn) && addOn.metadata.name.length <= MAX_NAME_LENGTH)
        .map((addOn) => [`${ADDON_FEATURE_LABEL_PREFIX}${addOn.metadata.name}`, featureOf(addOn)] as const)
      const obsolete = Object.keys(cluster.metadata.labels ?? {})
        .filter((key) => key.startsWith(ADDON_FEATURE_LABEL_PREFIX))
        .map((key) => [key, null] as const)
      const changes = Object.fromEntries([...obsolete, ...wanted])
      const written = await changeLabels(client, ManagedCluster, cluster, changes, { signal })
      const pause = pauseAfter(Object.keys(changes).length)
      if (written !== cluster && pause > 0) pauses.set(ref.name, clock.elapsed() + pause)
      return undefined
    },
  }
}

/**
 * Returns the milliseconds until the next write of a cluster. A write takes time in proportion to the labels, so that one for
 * each of thousands of add-ons would keep the hub busy. With a pause in proportion, it is the same share of the time for any
 * number.
 */
function pauseAfter(labels: number): number {
  return labels > MANY_LABELS ? labels : 0
}

function featureOf({ status }: ManagedClusterAddOn): AddOnFeature {
  switch (findCondition(status?.conditions, AddOnCondition.Available)?.status) {
    case 'True':
      return AddOnFeature.Available
    case 'False':
      return AddOnFeature.Unhealthy
    default:
      return AddOnFeature.Unreachable
  }
}
