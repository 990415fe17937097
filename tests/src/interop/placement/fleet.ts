import {
  CLUSTER_SET_LABEL,
  type ManagedClusterSelector,
  type ManagedClusterSpec,
  type ManagedClusterStatus,
  type Taint,
} from '@orrery/api'
import type { Random } from '../../fuzz/random.js'

/** What a hub knows before the first placement: generated, and the same on every hub. */
export interface Fleet {
  readonly sets: readonly { readonly name: string; readonly selector: ManagedClusterSelector }[]
  /** The bound sets of each namespace. Some do not exist. */
  readonly bindings: Readonly<Record<string, readonly string[]>>
  readonly clusters: readonly FleetCluster[]
}

export interface FleetCluster {
  readonly name: string
  readonly labels: Record<string, string>
  readonly isBeingDeleted: boolean
  readonly spec: ManagedClusterSpec
  readonly status: ManagedClusterStatus
  readonly scores: readonly FleetScores[]
}

export interface FleetScores {
  readonly resource: string
  readonly scores: readonly { readonly name: string; readonly value: number }[]
  readonly validUntil: string | undefined
}

export const LABELS = {
  region: ['eu', 'us', 'ap'],
  zone: ['a', 'b', 'c', 'd'],
  env: ['prod', 'dev', ''],
  tier: ['1', '2', '3', '10', '20'],
  gpu: ['', 'true'],
} as const

export const CLAIMS = {
  'platform.open-cluster-management.io': ['AWS', 'GCP', 'BareMetal'],
  'nodes.example.com': ['1', '3', '5', '12'],
  'address.example.com': ['10.1.2.3', '10.200.0.9', '192.168.7.1', 'fd00::7'],
  'limits.example.com': ['{"max":3}', '{"max":12,"zones":["a","b"]}', '{"max":', '[]'],
} as const

export const TAINT_KEYS = ['maintenance', 'example.com/dedicated', 'cluster.open-cluster-management.io/unreachable']
export const TAINT_VALUES = ['', 'gpu', 'batch']

/** Resources of AddOnPlacementScores and their scores. */
export const SCORES = { usage: ['cpu', 'memory'], latency: ['p99'], fresh: ['rank', 'cost'], stale: ['rank'] } as const
/** The resource whose scores have expired. */
export const EXPIRED = 'stale'

const EXCLUSIVE = ['blue', 'green', 'red', 'tiny']
const CPU = ['4', '8', '7500m', '16', '32.25', '1e2', '0', '250']
const MEMORY = ['8Gi', '16384Mi', '64Gi', '1.5Ti', '128G', '12345678Ki', '100000000000']
const VERSIONS = ['v1.29.4', 'v1.30.0', 'v1.31.2+k3s1', '1.32.1', 'unknown', '']

export const HOUR = 3_600_000

/** A time without fractions of a second, as the API has it. */
const seconds = (time: Date) => `${time.toISOString().slice(0, 19)}Z`

/** A fleet for `clusters` clusters. Times are long before or after `now`. */
export function generateFleet(random: Random, clusters: number, now: Date): Fleet {
  return {
    sets: [
      ...[...EXCLUSIVE, 'vacant'].map((name) => ({
        name,
        selector: { selectorType: 'ExclusiveClusterSetLabel' as const },
      })),
      labelSet('everything', {}),
      labelSet('europe', { matchLabels: { region: 'eu' } }),
      labelSet('upper', { matchExpressions: [{ key: 'tier', operator: 'In', values: ['10', '20'] }] }),
      labelSet('plain', { matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }),
      labelSet('nowhere', { matchLabels: { region: 'mars' } }),
      { name: 'unset', selector: { selectorType: 'LabelSelector' } },
    ],
    bindings: {
      unbound: [],
      dangling: ['removed'],
      deserted: ['vacant', 'nowhere', 'unset'],
      all: ['everything'],
      colours: ['blue', 'green', 'red', 'removed'],
      mixed: ['green', 'europe', 'plain', 'vacant'],
      upper: ['upper', 'blue'],
      few: ['tiny'],
    },
    clusters: Array.from({ length: clusters }, (_, index) => generateCluster(random, index, now)),
  }
}

function labelSet(name: string, labelSelector: NonNullable<ManagedClusterSelector['labelSelector']>) {
  return { name, selector: { selectorType: 'LabelSelector' as const, labelSelector } }
}

export function generateCluster(random: Random, index: number, now: Date): FleetCluster {
  // Names whose order differs from the order of creation and of their numbers.
  const name = `${random.pick(['edge', 'core', 'far'])}-${index}`
  const set = index < 6 ? 'tiny' : random.pick([...EXCLUSIVE.slice(0, 3), undefined])
  return {
    name,
    labels: { ...some(random, LABELS, 0.8), ...(set !== undefined && { [CLUSTER_SET_LABEL]: set }) },
    isBeingDeleted: random.chance(0.04),
    spec: {
      hubAcceptsClient: random.chance(0.9),
      leaseDurationSeconds: random.pick([0, 60, 60]),
      ...(random.chance(0.35) && { taints: generateTaints(random, now) }),
    },
    status: generateStatus(random, now),
    scores: generateScores(random, now),
  }
}

/** PreferNoSelect is left out: Orrery lowers the score of such a cluster, and Open Cluster Management ignores it. */
function generateTaints(random: Random, now: Date): Taint[] {
  return Array.from({ length: 1 + random.below(2) }, () => ({
    key: random.pick(TAINT_KEYS),
    value: random.pick(TAINT_VALUES),
    effect: random.pick(['NoSelect', 'NoSelectIfNew']),
    ...(random.chance(0.9) && { timeAdded: seconds(new Date(now.getTime() - (1 + random.below(4)) * HOUR)) }),
  }))
}

function generateStatus(random: Random, now: Date): ManagedClusterStatus {
  const cpu = random.pick(CPU)
  const memory = random.pick(MEMORY)
  const claims = Object.entries(some(random, CLAIMS, 0.8)).map(([name, value]) => ({ name, value }))
  const lastTransitionTime = seconds(now)
  const available = { type: 'ManagedClusterConditionAvailable', reason: 'Checked', message: '', lastTransitionTime }
  return {
    conditions: random.chance(0.9) ? [{ ...available, status: random.pick(['True', 'False', 'Unknown']) }] : [],
    ...(random.chance(0.9) && { allocatable: { ...(random.chance(0.95) && { cpu }), memory, pods: '110' } }),
    ...(random.chance(0.95) && { capacity: { cpu, ...(random.chance(0.95) && { memory }) } }),
    version: { kubernetes: random.pick(VERSIONS) },
    // The second claim of a name counts.
    clusterClaims: random.chance(0.1) ? [...claims, { name: 'nodes.example.com', value: '7' }] : claims,
  }
}

function generateScores(random: Random, now: Date): FleetScores[] {
  const until = (offset: number) => seconds(new Date(now.getTime() + offset))
  const validUntil = { usage: undefined, latency: until(24 * HOUR), fresh: until(48 * HOUR), stale: until(-HOUR) }
  return Object.entries(SCORES)
    .filter(() => random.chance(0.75))
    .map(([resource, names]) => ({
      resource,
      scores: names
        // OCM also warns about expired scores that the placement does not read.
        .filter(() => resource === EXPIRED || random.chance(0.9))
        .map((name) => ({ name, value: random.pick([-100, 100, 0, random.below(201) - 100]) })),
      validUntil: validUntil[resource as keyof typeof validUntil],
    }))
}

function some(
  random: Random,
  choices: Readonly<Record<string, readonly string[]>>,
  probability: number,
): Record<string, string> {
  const entries = Object.entries(choices).filter(() => random.chance(probability))
  return Object.fromEntries(entries.map(([key, values]) => [key, random.pick(values)]))
}
