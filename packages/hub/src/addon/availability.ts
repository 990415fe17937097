import { AddOnCondition, ManagedCluster, ManagedClusterAddOn, ManagedClusterCondition } from '@orrery/api'
import { findCondition, isNotFound, jsonEqual } from '@orrery/kinds/values'
import { type ControllerSpec, each, writeConditions } from '@orrery/kube'
import type { Predicate } from '@orrery/kube/controller'
import type { HubContext } from '../context.js'
import { inParallel } from '../parallel.js'

const { Available } = ManagedClusterCondition

const availabilityChanged: Predicate<ManagedCluster> = ({ before, after }) =>
  !jsonEqual(findCondition(before?.status?.conditions, Available), findCondition(after?.status?.conditions, Available))

/**
 * Sets the add-ons of a cluster that is unreachable to Unknown, with the reason of the cluster: its agent, which reports them, is not
 * heard of. When the cluster is back, the agent and the controllers of the add-ons report again.
 */
export function unreachableAddOns({ client, clock, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const addOns = informers.of(ManagedClusterAddOn)
  return {
    name: 'addon-availability',
    concurrency: 10,
    wakes: [
      each(clusters, undefined, { when: availabilityChanged }),
      each(addOns, ({ metadata }) => ({ name: metadata.namespace }), { when: ({ type }) => type === 'added' }),
    ],
    async reconcile(ref, { signal }) {
      const condition = findCondition(clusters.get(ref)?.status?.conditions, Available)
      if (condition?.status !== 'Unknown') return
      const { status, reason, message } = condition
      const finding = { type: AddOnCondition.Available, status, reason, message }
      const failures = await inParallel(addOns.list(ref.name), async (addOn) => {
        try {
          await writeConditions(client, ManagedClusterAddOn, addOn, [finding], { clock, signal })
        } catch (error) {
          if (!isNotFound(error)) throw error
        }
      })
      if (failures.length > 0) throw failures[0]
    },
  }
}
