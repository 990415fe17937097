import type { PrioritizerConfig, PrioritizerPolicy } from '@orrery/api'
import type { ClusterFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'
import { MANAGED_CLUSTER_SCORE, type SchedulingState } from './state.js'

export const MAX_SCORE = 100

/** When results change because of time, and which scores have expired. Filled while clusters are scored. */
export interface Expiry {
  /** The earliest time at which a score expires, in milliseconds. */
  nextAt: number
  readonly expired: ExpiredScore[]
}

/** A score that is not counted because it is too old. */
export interface ExpiredScore {
  readonly cluster: string
  readonly resource: string
  readonly prioritizer: string
}

/** Scores clusters. The total of a cluster is the sum of `weight` × score over all prioritizers. */
export interface Prioritizer {
  /** `Balance`, `AddOn/resource/score`. */
  readonly name: string
  readonly weight: number
  /** The score of each cluster, usually from -100 to 100. NaN: no score, which counts as 0. */
  score(clusters: readonly ClusterFacts[], state: SchedulingState, expiry: Expiry): Float64Array
  /** What the prioritizer reads, to know which changes can affect a placement. */
  readonly reads:
    | { readonly type: 'Balance' }
    | { readonly type: 'Steady' }
    | { readonly type: 'Allocatable'; readonly resource: 'cpu' | 'memory' }
    | { readonly type: 'Score'; readonly resource: string; readonly name: string }
}

/** Built-in prioritizers that read the ManagedClusterScore of the calculator with the same name. */
const CALCULATED = new Set(['ResourceRatioCPU', 'ResourceRatioMemory', 'ClusterHealth'])

/** Calculators of the hub and the agents whose scores are from -100 to 100. An agent that reports more gains nothing. */
const BOUNDED = new Set([...CALCULATED, 'NodeHealth'].map((name) => name.toLowerCase()))

type Builder = (weight: number) => Prioritizer

const builtIns: ReadonlyMap<string, Builder> = new Map<string, Builder>([
  ['Balance', balance],
  ['Steady', steady],
  ['ResourceAllocatableCPU', (weight) => allocatable('ResourceAllocatableCPU', weight, 'cpu')],
  ['ResourceAllocatableMemory', (weight) => allocatable('ResourceAllocatableMemory', weight, 'memory')],
  ...Array.from(CALCULATED, (name): [string, Builder] => [
    name,
    (weight) => calculated(name, weight, name.toLowerCase()),
  ]),
])

/** The prioritizers of a policy, the defaults first. Those with weight 0 are left out. Throws `Misconfigured`. */
export function compilePrioritizers(policy: PrioritizerPolicy | undefined): Prioritizer[] {
  const mode = policy?.mode ?? ''
  if (!['', 'Additive', 'Exact'].includes(mode)) {
    throw new Misconfigured('spec.prioritizerPolicy.mode', `must be Additive or Exact, not ${JSON.stringify(mode)}`)
  }
  const builders = new Map<string, { weight: number; build: () => Prioritizer }>()
  if (mode !== 'Exact') {
    builders.set('Balance', { weight: 1, build: () => balance(1) })
    builders.set('Steady', { weight: 1, build: () => steady(1) })
  }
  policy?.configurations?.forEach((configuration, index) => {
    const { weight = 1 } = configuration
    const path = `spec.prioritizerPolicy.configurations[${index}].scoreCoordinate`
    const key = coordinateKey(configuration, index, path)
    builders.set(key, { weight, build: () => build(configuration, weight, path) })
  })
  return [...builders.values()].filter(({ weight }) => weight !== 0).map(({ build }) => build())
}

/** A later configuration of the same built-in prioritizer replaces an earlier one. Scores of add-ons are added up. */
function coordinateKey({ scoreCoordinate }: PrioritizerConfig, index: number, path: string): string {
  if (!scoreCoordinate) throw new Misconfigured(path, 'is required: set builtIn or addOn')
  const { type = 'BuiltIn', builtIn = '', addOn } = scoreCoordinate
  return type === 'BuiltIn' && addOn === undefined ? builtIn : `${index}/`
}

function build({ scoreCoordinate }: PrioritizerConfig, weight: number, path: string): Prioritizer {
  const { type = 'BuiltIn', builtIn = '', addOn } = scoreCoordinate
  if (type === 'BuiltIn') {
    const known = builtIns.get(builtIn)
    if (known !== undefined) return known(weight)
    const names = [...builtIns.keys()].join(', ')
    throw new Misconfigured(`${path}.builtIn`, `${JSON.stringify(builtIn)} does not exist: use one of ${names}`)
  }
  if (addOn === undefined) {
    throw new Misconfigured(`${path}.addOn`, 'is required with the type AddOn: set resourceName and scoreName')
  }
  const { resourceName, scoreName } = addOn
  const name = `AddOn/${resourceName}/${scoreName}`
  return resourceName === MANAGED_CLUSTER_SCORE
    ? calculated(name, weight, scoreName.toLowerCase())
    : reported(name, weight, resourceName, scoreName)
}

/** Prefers clusters with few decisions of other placements. */
function balance(weight: number): Prioritizer {
  return {
    name: 'Balance',
    weight,
    reads: { type: 'Balance' },
    score(clusters, state) {
      const scores = new Float64Array(clusters.length)
      const most = state.mostDecisionsElsewhere
      for (let i = 0; i < clusters.length; i++) {
        const count = most === 0 ? 0 : state.decisionsElsewhere((clusters[i] as ClusterFacts).name)
        scores[i] = count === 0 ? MAX_SCORE : 2 * Math.trunc(MAX_SCORE * (0.5 - count / most))
      }
      return scores
    },
  }
}

/** Prefers clusters that are already selected. */
function steady(weight: number): Prioritizer {
  return {
    name: 'Steady',
    weight,
    reads: { type: 'Steady' },
    score(clusters, { decided }) {
      const scores = new Float64Array(clusters.length)
      if (decided.size === 0) return scores
      for (let i = 0; i < clusters.length; i++) {
        if (decided.has((clusters[i] as ClusterFacts).name)) scores[i] = MAX_SCORE
      }
      return scores
    },
  }
}

/** Prefers clusters with the most allocatable CPU or memory. */
function allocatable(name: string, weight: number, resource: 'cpu' | 'memory'): Prioritizer {
  return {
    name,
    weight,
    reads: { type: 'Allocatable', resource },
    score(clusters) {
      const amounts = new Float64Array(clusters.length)
      for (let i = 0; i < clusters.length; i++) amounts[i] = (clusters[i] as ClusterFacts)[resource]
      scale(amounts)
      return amounts
    },
  }
}

/** The score of an AddOnPlacementScore. A cluster without the score, or with an expired one, has 0. */
function reported(name: string, weight: number, resource: string, scoreName: string): Prioritizer {
  return {
    name,
    weight,
    reads: { type: 'Score', resource, name: scoreName },
    score(clusters, state, expiry) {
      const scores = validScores({ name, resource, scoreName }, clusters, state, expiry)
      fillMissing(scores)
      return scores
    },
  }
}

/** A ManagedClusterScore. Values of other calculators outside -100 to 100 scale the scores of all clusters. */
function calculated(name: string, weight: number, calculator: string): Prioritizer {
  const source = { name, resource: MANAGED_CLUSTER_SCORE, scoreName: calculator }
  return {
    name,
    weight,
    reads: { type: 'Score', resource: MANAGED_CLUSTER_SCORE, name: calculator },
    score(clusters, state, expiry) {
      const scores = validScores(source, clusters, state, expiry)
      if (BOUNDED.has(calculator)) clamp(scores)
      else if (scores.some((value) => Math.abs(value) > MAX_SCORE)) scale(scores)
      // After scaling: a missing score is in the middle, not the lowest.
      fillMissing(scores)
      return scores
    },
  }
}

/** The scores of an object that have not expired. NaN: none. */
function validScores(
  { name, resource, scoreName }: { name: string; resource: string; scoreName: string },
  clusters: readonly ClusterFacts[],
  state: SchedulingState,
  expiry: Expiry,
): Float64Array {
  const scores = new Float64Array(clusters.length).fill(Number.NaN)
  const now = state.now.getTime()
  for (let i = 0; i < clusters.length; i++) {
    const cluster = (clusters[i] as ClusterFacts).name
    const found = state.score(cluster, resource, scoreName)
    if (found === undefined) continue
    if (found.validUntil !== undefined) {
      const end = found.validUntil.getTime()
      if (now > end) {
        expiry.expired.push({ cluster, resource, prioritizer: name })
        continue
      }
      if (end < expiry.nextAt) expiry.nextAt = end + 1
    }
    scores[i] = found.value
  }
  return scores
}

function clamp(scores: Float64Array): void {
  for (let i = 0; i < scores.length; i++) {
    scores[i] = Math.max(-MAX_SCORE, Math.min(MAX_SCORE, scores[i] as number))
  }
}

function fillMissing(scores: Float64Array): void {
  for (let i = 0; i < scores.length; i++) if (Number.isNaN(scores[i])) scores[i] = 0
}

/** Maps the lowest value to -100 and the highest to 100, in place. Equal values become 100. NaN is left as it is. */
function scale(values: Float64Array): void {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (value < min) min = value
    if (value > max) max = value
  }
  const range = max - min
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (Number.isNaN(value)) continue
    values[i] = range === 0 ? MAX_SCORE : Math.trunc(((value - min) / range - 0.5) * 2 * 100)
  }
}
