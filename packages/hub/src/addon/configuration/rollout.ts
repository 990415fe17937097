import type { ManagedClusterAddOn } from '@orrery/api'
import { type ClusterProgress, planRollout, type RolloutPlan } from '../../rollout/index.js'
import type { Layer } from './layers.js'
import { progressOf } from './progress.js'
import { desiredOn } from './references.js'

/** The add-on on one cluster, as a rollout finds it. */
export interface Member {
  readonly addOn: ManagedClusterAddOn
  readonly progress: ClusterProgress
}

/** The rollout of the configurations of one placement. */
export interface LayerRollout {
  readonly layer: Layer
  /** The add-ons of the layer, by cluster. */
  readonly members: ReadonlyMap<string, Member>
  /** The plan, or why there is none. */
  readonly plan: RolloutPlan | { readonly problem: string }
}

/** What a rollout needs to know of clusters. */
export interface ClusterReader {
  /** The add-on on a cluster, unless it is being deleted. */
  addOnOn(cluster: string): ManagedClusterAddOn | undefined
  /** Whether the add-on will be installed on a cluster that does not have it yet. */
  isExpectedOn(cluster: string): boolean
}

/**
 * Plans the rollout to the clusters of a layer. Clusters that will have the add-on hold up others as if their configurations had to
 * be applied, so that the order of decision groups holds for the first installation too.
 */
export function planLayer(layer: Layer, reader: ClusterReader, now: Date): LayerRollout {
  const members = new Map<string, Member>()
  const isIncluded = (cluster: string) => {
    const addOn = reader.addOnOn(cluster)
    if (addOn === undefined) return reader.isExpectedOn(cluster)
    members.set(cluster, { addOn, progress: progressOf(addOn, desiredOn(addOn, layer.configs), now) })
    return true
  }
  const groups = layer.groups.map((group) => ({ ...group, clusters: group.clusters.filter(isIncluded) }))
  const progress = (cluster: string) => members.get(cluster)?.progress ?? ({ state: 'ToApply' } as const)
  try {
    return { layer, members, plan: planRollout(layer.strategy, groups, progress, now) }
  } catch (error) {
    if (error instanceof RangeError) return { layer, members, plan: { problem: `rolloutStrategy: ${error.message}` } }
    throw error
  }
}
