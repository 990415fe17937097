import { ClusterSetCondition, ClusterSetReason, ManagedCluster, ManagedClusterSet } from '@orrery/api'
import { type ControllerSpec, each, isBeingDeleted, writeConditions } from '@orrery/kube'
import { labelsChanged } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { membershipOf, setsOf } from './membership.js'

/** Sets the condition ClusterSetEmpty of each cluster set. */
export function clusterSetStatus({ client, informers, clock }: HubContext): ControllerSpec {
  const sets = informers.of(ManagedClusterSet)
  const clusters = informers.of(ManagedCluster)
  return {
    name: 'cluster-set-status',
    wakes: [
      each(sets),
      each(clusters, (cluster) => setsOf(cluster, sets.list()).map(({ metadata }) => metadata), {
        when: labelsChanged,
      }),
    ],
    async reconcile(ref, { signal }) {
      const set = sets.get(ref)
      if (set === undefined || isBeingDeleted(set)) return
      const count = clusters.list().filter(membershipOf(set)).length
      const finding =
        count === 0
          ? ({
              status: 'True',
              reason: ClusterSetReason.NoClusterMatched,
              message: 'No ManagedCluster selected',
            } as const)
          : ({
              status: 'False',
              reason: ClusterSetReason.ClustersSelected,
              message: `${count} ManagedClusters selected`,
            } as const)
      await writeConditions(client, ManagedClusterSet, set, [{ type: ClusterSetCondition.Empty, ...finding }], {
        clock,
        signal,
      })
    },
  }
}
