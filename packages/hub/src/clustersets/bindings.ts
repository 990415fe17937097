import {
  ClusterSetBindingCondition,
  ClusterSetBindingReason,
  ManagedClusterSet,
  ManagedClusterSetBinding,
} from '@orrery/api'
import { type ControllerSpec, each, isBeingDeleted, writeConditions } from '@orrery/kube'
import type { HubContext } from '../context.js'

const BY_SET = 'clusterSet'

/** Sets the condition Bound of each binding: whether its cluster set exists. */
export function clusterSetBindings({ client, informers, clock }: HubContext): ControllerSpec {
  const sets = informers.of(ManagedClusterSet)
  const bindings = informers.of(ManagedClusterSetBinding)
  bindings.addIndex(BY_SET, ({ spec }) => [spec?.clusterSet ?? ''])
  return {
    name: 'cluster-set-bindings',
    wakes: [
      each(bindings),
      each(sets, ({ metadata }) => bindings.byIndex(BY_SET, metadata.name).map((binding) => binding.metadata), {
        when: ({ type }) => type !== 'updated',
      }),
    ],
    async reconcile(ref, { signal }) {
      const binding = bindings.get(ref)
      if (binding === undefined || isBeingDeleted(binding)) return
      const isBound = sets.get({ name: binding.spec?.clusterSet ?? '' }) !== undefined
      const finding = {
        type: ClusterSetBindingCondition.Bound,
        status: isBound ? 'True' : 'False',
        reason: isBound ? ClusterSetBindingReason.Bound : ClusterSetBindingReason.NotFound,
      } as const
      await writeConditions(client, ManagedClusterSetBinding, binding, [finding], { clock, signal })
    },
  }
}
