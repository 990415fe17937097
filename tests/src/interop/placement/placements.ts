import {
  type GroupStrategy,
  type NewPlacement,
  type PlacementSpec,
  type PrioritizerConfig,
  type PrioritizerPolicy,
  SCHEDULING_DISABLED_ANNOTATION,
  type Toleration,
} from '@orrery/api'
import type { Random } from '../../fuzz/random.js'
import { EXPIRED, type Fleet, HOUR, SCORES, TAINT_KEYS, TAINT_VALUES } from './fleet.js'
import { misconfigure } from './misconfigured.js'
import { generateGroupSelector, generatePredicates } from './predicates.js'

/** A generated placement. */
export interface Generated {
  readonly namespace: string
  readonly name: string
  readonly draft: NewPlacement
  /** Whether the decisions of other placements change its own: it must not be decided at the same time as others. */
  readonly isBalanced: boolean
  readonly isDisabled: boolean
}

const DEFAULTS = { sortBy: 'ClusterName', scoreRateLimit: '1m' } as const

export function generatePlacements(random: Random, fleet: Fleet, count: number): Generated[] {
  return Array.from({ length: count }, (_, index) => {
    const expensive = EXPENSIVE[index]
    return expensive === undefined ? generatePlacement(random, fleet, index) : generated('few', index, expensive)
  })
}

/** Expressions below and above the limit of what CEL may cost for one cluster. */
const EXPENSIVE = [4, 5, 6].map((depth): PlacementSpec => {
  const ten = '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]'
  const nested = Array.from({ length: depth }).reduce<string>(
    (inner, _, level) => `${ten}.all(n${level}, ${inner})`,
    'true',
  )
  const celSelector = { celExpressions: [nested] }
  return { ...DEFAULTS, predicates: [{ requiredClusterSelector: { celSelector } }] }
})

function generatePlacement(random: Random, fleet: Fleet, index: number): Generated {
  const namespaces = Object.keys(fleet.bindings)
  // Most in namespaces with clusters.
  const namespace = random.chance(0.06) ? random.pick(namespaces.slice(0, 3)) : random.pick(namespaces.slice(3))
  const regular = generateSpec(random, fleet, namespace)
  const spec = random.chance(0.08) ? misconfigure(random, withoutBalance(regular)) : regular
  return generated(namespace, index, spec, random.chance(0.01))
}

function generated(namespace: string, index: number, spec: PlacementSpec, isDisabled = false): Generated {
  const name = `p-${index}`
  const annotations = isDisabled ? { [SCHEDULING_DISABLED_ANNOTATION]: 'true' } : {}
  const draft = { metadata: { namespace, name, annotations }, spec }
  return { namespace, name, draft, isDisabled, isBalanced: isBalanced(spec) }
}

function generateSpec(random: Random, fleet: Fleet, namespace: string): PlacementSpec {
  const spec: PlacementSpec = {
    ...DEFAULTS,
    ...(random.chance(0.3) && { clusterSets: generateSets(random, fleet, namespace) }),
    ...(random.chance(0.8) && { numberOfClusters: random.pick([0, 1, 1, 2, 3, 5, 8, 20, 50, 120, 500]) }),
    ...(random.chance(0.7) && { predicates: generatePredicates(random) }),
    ...(random.chance(0.8) && { prioritizerPolicy: generatePolicy(random) }),
    ...(random.chance(0.5) && { tolerations: generateTolerations(random) }),
    ...(random.chance(0.35) && { decisionStrategy: { groupStrategy: generateGroups(random) } }),
  }
  // OCM schedules a placement with expired scores again and again, so that its result depends on when others were decided. Others
  // take long if they must wait for each other.
  return isBalanced(spec) && (usesExpired(spec) || random.chance(0.3)) ? withoutBalance(spec) : spec
}

function generateSets(random: Random, fleet: Fleet, namespace: string): string[] {
  const bound = fleet.bindings[namespace] ?? []
  const all = [...bound, ...bound, ...fleet.sets.map(({ name }) => name), 'removed']
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(all))
}

function generatePolicy(random: Random): PrioritizerPolicy {
  const configurations = Array.from({ length: random.below(5) }, () => generateConfiguration(random))
  return {
    mode: random.pick(['Additive', 'Exact', 'Exact']),
    // With a negative weight of Steady a placement would alternate between clusters forever.
    configurations: configurations.map((one) =>
      one.scoreCoordinate.builtIn === 'Steady' ? { ...one, weight: Math.abs(one.weight) } : one,
    ),
  }
}

function generateConfiguration(random: Random): PrioritizerConfig {
  const weight = random.chance(0.1) ? 0 : random.below(21) - 10
  if (random.chance(0.5)) {
    const builtIn = random.pick(['Balance', 'Steady', 'ResourceAllocatableCPU', 'ResourceAllocatableMemory'])
    return { scoreCoordinate: { type: 'BuiltIn', builtIn }, weight }
  }
  const resourceName = random.pick([...(Object.keys(SCORES) as (keyof typeof SCORES)[]), 'absent' as const])
  const names = resourceName === 'absent' ? [] : SCORES[resourceName]
  const scoreName = random.pick(resourceName === EXPIRED ? names : [...names, 'absent'])
  return { scoreCoordinate: { type: 'AddOn', addOn: { resourceName, scoreName } }, weight }
}

function generateTolerations(random: Random): Toleration[] {
  return Array.from({ length: 1 + random.below(3) }, () => {
    const key = random.chance(0.1) ? undefined : random.pick(TAINT_KEYS)
    const operator = key === undefined || random.chance(0.4) ? 'Exists' : 'Equal'
    return {
      ...(key !== undefined && { key }),
      operator,
      ...(operator === 'Equal' && { value: random.pick(TAINT_VALUES) }),
      ...(random.chance(0.5) && { effect: random.pick(['NoSelect', 'NoSelectIfNew', 'PreferNoSelect'] as const) }),
      ...(random.chance(0.4) && { tolerationSeconds: random.pick([0, 60, HOUR, 1_000 * HOUR]) }),
    }
  })
}

function generateGroups(random: Random): GroupStrategy {
  return {
    clustersPerDecisionGroup: random.pick(['100%', '50%', '33%', '7%', '1%', 1, 3, 7, 100, 1_000, 0]),
    ...(random.chance(0.6) && {
      decisionGroups: Array.from({ length: 1 + random.below(3) }, () => ({
        groupName: random.pick(['canary', 'stable', 'last']),
        groupClusterSelector: generateGroupSelector(random),
      })),
    }),
  }
}

const isBalance = ({ scoreCoordinate }: PrioritizerConfig) =>
  scoreCoordinate.type === 'BuiltIn' && scoreCoordinate.builtIn === 'Balance'

/** Whether Balance decides which clusters are selected. It does not if all are. */
function isBalanced({ numberOfClusters, prioritizerPolicy: policy }: PlacementSpec): boolean {
  const weight = policy?.configurations?.findLast(isBalance)?.weight ?? (policy?.mode === 'Exact' ? 0 : 1)
  return weight !== 0 && numberOfClusters !== undefined
}

function usesExpired({ prioritizerPolicy }: PlacementSpec): boolean {
  return (prioritizerPolicy?.configurations ?? []).some(
    ({ scoreCoordinate }) => scoreCoordinate.addOn?.resourceName === EXPIRED,
  )
}

function withoutBalance(spec: PlacementSpec): PlacementSpec {
  const { mode = 'Additive', configurations = [] } = spec.prioritizerPolicy ?? {}
  const none = { scoreCoordinate: { type: 'BuiltIn' as const, builtIn: 'Balance' }, weight: 0 }
  return { ...spec, prioritizerPolicy: { mode, configurations: [...configurations, none] } }
}
