import { ManagedCluster, ManagedClusterCondition, type Taint, UNAVAILABLE_TAINT, UNREACHABLE_TAINT } from '@orrery/api'
import {
  anyOf,
  type ControllerSpec,
  each,
  findCondition,
  generationChanged,
  isBeingDeleted,
  mergePatchOf,
  patchLocked,
} from '@orrery/kube'
import type { HubContext } from '../context.js'
import { conditionChanged } from './conditionchange.js'

const { Available } = ManagedClusterCondition

/** Keeps placements off clusters that are not available: their taints say why. */
export function clusterTaints({ client, informers }: HubContext): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  return {
    name: 'cluster-taints',
    concurrency: 10,
    wakes: [each(clusters, undefined, { when: anyOf<ManagedCluster>(generationChanged, conditionChanged(Available)) })],
    async reconcile({ name }, { signal }) {
      const cluster = clusters.get({ name })
      if (cluster === undefined) return
      const patchOf = (current: ManagedCluster) => {
        if (isBeingDeleted(current)) return undefined
        const after = taintsFor(current)
        const spec = mergePatchOf({ taints: current.spec?.taints }, after.length === 0 ? {} : { taints: after })
        return spec && { spec }
      }
      await patchLocked(client, ManagedCluster, cluster, patchOf, { signal })
    },
  }
}

/** The taints that a cluster should have. Since when it has them is for admission to say. */
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
