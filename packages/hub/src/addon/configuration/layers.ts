import type { ClusterManagementAddOn, ClusterManagementAddOnStatus, RolloutStrategy } from '@orrery/api'
import type { DecisionGroup, PlacementRef, PlacementView } from '../../placement/index.js'
import { hasDecisions, selectedClusters } from '../../placement/index.js'
import { isInstalledByPlacement } from '../addon-informers.js'
import { type DesiredConfig, type DesiredConfigs, overridden } from './desired-configs.js'

/** The clusters of one placement of an add-on, with their configurations and their rollout. */
export interface Layer {
  readonly placement: PlacementRef
  /** How many clusters the placement selects. */
  readonly selected: number
  /** The decision groups, without the clusters that a later placement selects as well: that one applies there. */
  readonly groups: readonly DecisionGroup[]
  readonly configs: DesiredConfigs
  readonly strategy: RolloutStrategy
}

/** The configurations of an add-on by cluster. */
export interface Layers {
  readonly placements: readonly Layer[]
  /** The configurations of clusters that no placement selects. */
  readonly defaults: DesiredConfigs
  /**
   * Whether the clusters of all placements are known. Otherwise add-ons that no placement selects keep their configurations: they may
   * belong to a placement that was deleted or has no decisions yet.
   */
  readonly isComplete: boolean
}

/** What is read of a placement. */
export interface PlacementReader {
  view(placement: PlacementRef): PlacementView
  /** `clustersPerDecisionGroup`, the default of `maxConcurrency`. */
  groupSize(placement: PlacementRef): number | string | undefined
}

/** The layers of an add-on. The configurations with their hashes are in `references`: see `referencesStatus`. */
export function layersOf(
  definition: ClusterManagementAddOn,
  references: ClusterManagementAddOnStatus,
  reader: PlacementReader,
): Layers {
  const defaults = overridden(new Map(), withConfig(references.defaultConfigReferences))
  if (!isInstalledByPlacement(definition)) return { placements: [], defaults, isComplete: true }
  const taken = new Set<string>()
  const placements: Layer[] = []
  let isComplete = true
  for (const placement of (definition.spec.installStrategy.placements ?? []).toReversed()) {
    const { namespace, name } = placement
    const view = reader.view({ namespace, name })
    isComplete &&= hasDecisions(view)
    const groups = view.groups.map((group) => ({
      ...group,
      clusters: group.clusters.filter((cluster) => !taken.has(cluster)),
    }))
    const selected = selectedClusters(view)
    for (const cluster of selected) taken.add(cluster)
    const progression = references.installProgressions?.find((one) => one.namespace === namespace && one.name === name)
    placements.unshift({
      placement: { namespace, name },
      selected: selected.length,
      groups,
      configs: overridden(defaults, withConfig(progression?.configReferences)),
      strategy: withGroupSize(placement.rolloutStrategy, reader.groupSize({ namespace, name })),
    })
  }
  return { placements, defaults, isComplete }
}

function withConfig(references: readonly Partial<DesiredConfig>[] | undefined): DesiredConfig[] {
  return (references ?? []).flatMap(({ group = '', resource = '', desiredConfig }) =>
    desiredConfig === undefined ? [] : [{ group, resource, desiredConfig }],
  )
}

/** A progressive rollout without `maxConcurrency` has the size of a decision group. */
function withGroupSize(strategy: RolloutStrategy, groupSize: number | string | undefined): RolloutStrategy {
  if (strategy.type !== 'Progressive' || groupSize === undefined) return strategy
  const { maxConcurrency = 0 } = strategy.progressive ?? {}
  if (maxConcurrency !== 0 && maxConcurrency !== '') return strategy
  const progressive = { minSuccessTime: '0', progressDeadline: 'None', maxFailures: 0, ...strategy.progressive }
  return { ...strategy, progressive: { ...progressive, maxConcurrency: groupSize } }
}
