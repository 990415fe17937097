import {
  ADDON_FEATURE_LABEL_PREFIX,
  AddOnCondition,
  AddOnFeature,
  ManagedCluster,
  ManagedClusterAddOn,
  ManagedClusterCondition,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import { type ControllerSpec, each, generationChanged, isBeingDeleted } from '@orrery/kube'
import { anyOf, conditionChanged, labelsChanged } from '@orrery/kube/controller'
import { changeLabels } from '@orrery/kube/write'
import type { HubContext } from '../context.js'

/** The part of a label key after its prefix has at most 63 characters: of these `addon-` takes six. */
const MAX_NAME_LENGTH = 57

/** Labels clusters with the state of their add-ons, for placements to select by. */
export function featureLabels({ client, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const addOns = informers.of(ManagedClusterAddOn)
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
      if (cluster === undefined || isBeingDeleted(cluster)) return
      // A cluster that has not joined has no add-ons to select by.
      if (findCondition(cluster.status?.conditions, ManagedClusterCondition.Available) === undefined) return
      const wanted = addOns
        .list(ref.name)
        .filter((addOn) => !isBeingDeleted(addOn) && addOn.metadata.name.length <= MAX_NAME_LENGTH)
        .map((addOn) => [`${ADDON_FEATURE_LABEL_PREFIX}${addOn.metadata.name}`, featureOf(addOn)] as const)
      const obsolete = Object.keys(cluster.metadata.labels ?? {})
        .filter((key) => key.startsWith(ADDON_FEATURE_LABEL_PREFIX))
        .map((key) => [key, null] as const)
      await changeLabels(client, ManagedCluster, cluster, Object.fromEntries([...obsolete, ...wanted]), { signal })
    },
  }
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
