import type { SpreadConstraint } from '@orrery/api'
import type { ClusterFacts } from './facts.js'
import { compareRank, selectBest } from './select.js'

/** No cluster has this domain: the cluster lacks the topology key. */
const NO_DOMAIN = -1
/** A cluster that lacks the key of a ScheduleAnyway constraint is selected after all that have it. */
const LACKS_KEY = Number.MAX_SAFE_INTEGER

/** One constraint, with the number of selected clusters in each of its domains. */
interface Topology {
  readonly isHard: boolean
  readonly maxSkew: number
  /** The domain of each cluster. */
  readonly domains: Int32Array
  /** Selected clusters by domain. */
  readonly counts: number[]
  min: number
  /** How many domains have `min` selected clusters. */
  atMin: number
}

/** Clusters that are in the same domain of every constraint. */
interface Bucket {
  readonly clusters: number[]
  /** The best of them, best first. */
  best: readonly number[]
  /** The position of the next one to select. */
  next: number
  /** Its domain in each constraint. */
  readonly domains: readonly number[]
}

/**
 * Selects up to `count` clusters, one at a time, as the Kubernetes scheduler places pods with topology spread constraints.
 * The next cluster is the one that exceeds `maxSkew` least, for the most important constraint first; then the one with the
 * highest total. Clusters that would exceed `maxSkew` of a DoNotSchedule constraint, or lack its key, are not selected.
 *
 * The domains of a constraint are the values of its key among the clusters that pass all filters and have the keys of all
 * DoNotSchedule constraints. In Kubernetes' terms, `nodeAffinityPolicy` and `nodeTaintsPolicy` are Honor: a domain whose
 * clusters are all unreachable does not hold back the others.
 */
export class SpreadSelection {
  readonly #clusters: readonly ClusterFacts[]
  readonly #topologies: readonly Topology[]
  readonly #buckets: readonly Bucket[]

  constructor(clusters: readonly ClusterFacts[], constraints: readonly SpreadConstraint[]) {
    const eligible = eligibleFor(clusters, constraints)
    this.#clusters = clusters
    this.#topologies = constraints.map((constraint) => topologyOf(clusters, eligible, constraint))
    this.#buckets = bucketsOf(eligible, this.#topologies)
  }

  /** The indexes of the selected clusters. */
  select(totals: Float64Array, count: number): number[] {
    const clusters = this.#clusters
    this.#topologies.forEach(clear)
    for (const bucket of this.#buckets) {
      bucket.best = selectBest(clusters, totals, count, bucket.clusters)
      bucket.next = 0
    }
    const selected: number[] = []
    while (selected.length < count) {
      const bucket = nextBucket(clusters, totals, this.#buckets, this.#topologies)
      if (bucket === undefined) break
      selected.push(bucket.best[bucket.next] as number)
      bucket.next++
      this.#topologies.forEach((topology, index) => {
        add(topology, bucket.domains[index] as number)
      })
    }
    return selected
  }
}

/** The value of the topology key of a cluster. Undefined if it lacks the key. */
export function topologyValue(
  { topologyKey, topologyKeyType }: SpreadConstraint,
  { labels, claims }: ClusterFacts,
): string | undefined {
  const value = (topologyKeyType === 'Claim' ? claims : labels)[topologyKey]
  return typeof value === 'string' ? value : undefined
}

export function isHard({ whenUnsatisfiable }: SpreadConstraint): boolean {
  return whenUnsatisfiable === 'DoNotSchedule'
}

function eligibleFor(clusters: readonly ClusterFacts[], constraints: readonly SpreadConstraint[]): number[] {
  const hard = constraints.filter(isHard)
  const eligible: number[] = []
  clusters.forEach((cluster, index) => {
    if (hard.every((constraint) => topologyValue(constraint, cluster) !== undefined)) eligible.push(index)
  })
  return eligible
}

function topologyOf(
  clusters: readonly ClusterFacts[],
  eligible: readonly number[],
  constraint: SpreadConstraint,
): Topology {
  const ids = new Map<string, number>()
  const domains = new Int32Array(clusters.length).fill(NO_DOMAIN)
  for (const index of eligible) {
    const value = topologyValue(constraint, clusters[index] as ClusterFacts)
    if (value === undefined) continue
    let id = ids.get(value)
    if (id === undefined) {
      id = ids.size
      ids.set(value, id)
    }
    domains[index] = id
  }
  const counts = new Array<number>(ids.size).fill(0)
  return { isHard: isHard(constraint), maxSkew: constraint.maxSkew ?? 1, domains, counts, min: 0, atMin: ids.size }
}

function bucketsOf(eligible: readonly number[], topologies: readonly Topology[]): Bucket[] {
  const buckets = new Map<string, Bucket>()
  for (const index of eligible) {
    const domains = topologies.map((topology) => topology.domains[index] as number)
    const key = domains.join(',')
    const bucket = buckets.get(key)
    if (bucket === undefined) buckets.set(key, { clusters: [index], best: [], next: 0, domains })
    else bucket.clusters.push(index)
  }
  return [...buckets.values()]
}

function nextBucket(
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  buckets: readonly Bucket[],
  topologies: readonly Topology[],
): Bucket | undefined {
  let best: Bucket | undefined
  for (const bucket of buckets) {
    if (bucket.next === bucket.best.length || !isAllowed(bucket, topologies)) continue
    if (best === undefined || precedes(clusters, totals, topologies, bucket, best)) best = bucket
  }
  return best
}

function isAllowed({ domains }: Bucket, topologies: readonly Topology[]): boolean {
  for (let i = 0; i < topologies.length; i++) {
    const topology = topologies[i] as Topology
    if (topology.isHard && excess(topology, domains[i] as number) > 0) return false
  }
  return true
}

function precedes(
  clusters: readonly ClusterFacts[],
  totals: Float64Array,
  topologies: readonly Topology[],
  a: Bucket,
  b: Bucket,
): boolean {
  for (let i = 0; i < topologies.length; i++) {
    const topology = topologies[i] as Topology
    const difference = excess(topology, a.domains[i] as number) - excess(topology, b.domains[i] as number)
    if (difference !== 0) return difference < 0
  }
  return compareRank(clusters, totals, a.best[a.next] as number, b.best[b.next] as number) < 0
}

/** By how much one more cluster in the domain would exceed `maxSkew`. */
function excess({ counts, min, maxSkew }: Topology, domain: number): number {
  if (domain === NO_DOMAIN) return LACKS_KEY
  return Math.max(0, (counts[domain] as number) + 1 - min - maxSkew)
}

function clear(topology: Topology): void {
  topology.counts.fill(0)
  topology.min = 0
  topology.atMin = topology.counts.length
}

function add(topology: Topology, domain: number): void {
  if (domain === NO_DOMAIN) return
  const before = topology.counts[domain] as number
  topology.counts[domain] = before + 1
  if (before !== topology.min || --topology.atMin > 0) return
  topology.min = Math.min(...topology.counts)
  topology.atMin = topology.counts.filter((value) => value === topology.min).length
}
