import {
  ManagedCluster,
  ManagedClusterCondition,
  RegistrationEvent,
  type Taint,
  UNAVAILABLE_TAINT,
  UNREACHABLE_TAINT,
} from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { type ControllerSpec, each, generationChanged, isBeingDeleted } from '@orrery/kube'
import { anyOf, conditionChanged } from '@orrery/kube/controller'
import { mergePatchOf, patchLocked } from '@orrery/kube/write'
import type { HubContext } from '../context.js'
import { clusterReference } from './cluster-reference.js'

const { Available, HubAccepted } = ManagedClusterCondition

/** Taints clusters that are not available, so that placements do not select them. */
export function clusterTaints({ client, informers, events }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  return {
    name: 'cluster-taints',
    concurrency: 10,
    wakes: [each(clusters, undefined, { when: anyOf<ManagedCluster>(generationChanged, conditionChanged(Available)) })],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster === undefined) return
      let changed: JsonObject | undefined
      const patchOf = (current: ManagedCluster) => {
        changed = undefined
        if (isBeingDeleted(current)) return undefined
        const after = taintsFor(current)
        changed = mergePatchOf({ taints: current.spec?.taints }, after.length === 0 ? {} : { taints: after })
        return changed && { spec: changed }
      }
      const after = await patchLocked(client, ManagedCluster, cluster, patchOf, { signal })
      if (changed === undefined) return
      events.record({
        // A cluster that is not accepted has no namespace.
        regarding: isConditionTrue(after.status?.conditions, HubAccepted) ? clusterReference(after) : after,
        reason: RegistrationEvent.TaintsUpdated,
        note: `the taints of cluster ${name} are now: ${after.spec?.taints?.map(({ key }) => key).join(', ') || 'none'}`,
      })
    },
  }
}

/** The taints that a cluster should have. Admission sets `timeAdded`. */
function taintsFor({ spec, status }: ManagedCluster): Taint[] {
  const known = spec?.taints ?? []
  const wanted = taintKeyFor(findCondition(status?.conditions, Available)?.status)
  const isOurs = ({ key, effect }: Taint) =>
    effect === 'NoSelect' && (key === UNAVAILABLE_TAINT || key === UNREACHABLE_TAINT)
  const kept = known.filter((taint) => !isOurs(taint) || taint.key === wanted)
  if (wanted === undefined || kept.some(isOurs)) return kept
  return [...kept, { key: wanted, effect: 'NoSelect' }]
}

function taintKeyFor(available: string | undefined): string | undefined {
  if (available === 'True') return undefined
  return available === 'False' ? UNAVAILABLE_TAINT : UNREACHABLE_TAINT
}
