import type { GroupStrategy } from '@orrery/api'
import type { ClusterFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'
import { type CompiledSelector, compileGroupSelector } from './predicates.js'

/** How selected clusters are divided into decision groups. */
export interface CompiledGroups {
  readonly named: readonly NamedGroup[]
  /** The size of a group, for this many selected clusters. */
  sizeFor(selected: number): number
  /**
   * An error in the strategy. Clusters are selected nevertheless, but as in Open Cluster Management only the groups before the
   * error have decisions: no other cluster can be assigned to a group.
   */
  readonly problem: Misconfigured | undefined
}

interface NamedGroup {
  readonly name: string
  readonly selector: CompiledSelector
}

const STRATEGY = 'spec.decisionStrategy.groupStrategy'

/** Compiles a group strategy. */
export function compileGroups(strategy: GroupStrategy | undefined): CompiledGroups {
  const named: NamedGroup[] = []
  let sizeFor = (selected: number) => selected
  try {
    sizeFor = groupSize(strategy?.clustersPerDecisionGroup)
    strategy?.decisionGroups?.forEach(({ groupName, groupClusterSelector }, index) => {
      const path = `${STRATEGY}.decisionGroups[${index}].groupClusterSelector`
      named.push({ name: groupName, selector: compileGroupSelector(groupClusterSelector, path) })
    })
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    return { named, sizeFor, problem: error }
  }
  return { named, sizeFor, problem: undefined }
}

/** A percentage is rounded up. A size that is zero or too large means one group. */
function groupSize(size: number | string | undefined): (selected: number) => number {
  if (size === undefined) return (selected) => selected
  if (typeof size === 'number') return (selected) => (size <= 0 || size > selected ? selected : size)
  const percent = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(size)?.[1]
  if (percent === undefined) {
    const field = `${STRATEGY}.clustersPerDecisionGroup`
    throw new Misconfigured(field, `${JSON.stringify(size)} must be a number, or a percentage such as "25%"`)
  }
  return (selected) => {
    const length = Math.ceil((Number(percent) / 100) * selected)
    return length <= 0 || length > selected ? selected : length
  }
}

/** A decision group before its clusters are written to PlacementDecisions. */
export interface ClusterGroup {
  /** Empty for a group without a name. */
  readonly name: string
  readonly clusters: readonly ClusterFacts[]
}

/**
 * Divides the selected clusters: the named groups first, then the others, each split into groups of the size. A cluster
 * belongs to the first group that selects it. There is always at least one group, unless the strategy has an error.
 */
export function divide(
  { named, sizeFor, problem }: CompiledGroups,
  selected: readonly ClusterFacts[],
  compare: (a: ClusterFacts, b: ClusterFacts) => number,
): ClusterGroup[] {
  const size = sizeFor(selected.length)
  const groups: ClusterGroup[] = []
  let rest = selected
  for (const { name, selector } of named) {
    const matched: ClusterFacts[] = []
    const others: ClusterFacts[] = []
    for (const cluster of rest) (selectsGroup(selector, cluster) ? matched : others).push(cluster)
    rest = others
    addGroups(groups, name, matched, size, compare)
  }
  if (problem !== undefined) return groups
  addGroups(groups, '', rest, size, compare)
  return groups.length === 0 ? [{ name: '', clusters: [] }] : groups
}

/** The position of the named group of a cluster. -1: it has none. */
export function groupOf({ named }: CompiledGroups, cluster: ClusterFacts): number {
  return named.findIndex(({ selector }) => selectsGroup(selector, cluster))
}

function selectsGroup({ labels, claims }: CompiledSelector, cluster: ClusterFacts): boolean {
  return labels.matches(cluster.labels) && claims.matches(cluster.claims)
}

function addGroups(
  groups: ClusterGroup[],
  name: string,
  clusters: readonly ClusterFacts[],
  size: number,
  compare: (a: ClusterFacts, b: ClusterFacts) => number,
): void {
  const sorted = [...clusters].sort(compare)
  for (let at = 0; at < sorted.length; at += size) groups.push({ name, clusters: sorted.slice(at, at + size) })
}
