import { DEFAULT_SCORE_VALIDITY_SECONDS, type ManagedCluster, ScoreCalculator } from '@orrery/api'
import type { Lease, Node, Pod } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'

/** What a calculator on the hub can read of a cluster. */
export interface HubFacts {
  readonly cluster: ManagedCluster
  /** The lease that the agent renews. Undefined before the hub has created it. */
  readonly lease: Lease | undefined
  /** A score of the cluster that another calculator has written. Undefined if it is missing or expired. */
  readonly scoreOf: (calculator: string) => number | undefined
  /** The hub. */
  readonly client: KubeClient
  readonly now: Date
  readonly signal: AbortSignal
}

/** What a calculator in the agent can read of its cluster. */
export interface SpokeFacts {
  readonly clusterName: string
  readonly nodes: readonly Node[]
  /** The pods that have not succeeded or failed. Read at the first call, and shared by the calculators of one run. */
  readonly pods: () => Promise<readonly Pod[]>
  /** The managed cluster. */
  readonly client: KubeClient
  readonly now: Date
  readonly signal: AbortSignal
}

/** A score, or undefined if it is unknown: then the last score stays until it expires. */
export type Calculated = number | undefined | Promise<number | undefined>

interface CalculatorFields {
  /** Its name, of letters, digits and `-`. The ManagedClusterScore has it in lower case. */
  readonly name: string
  /** How often the score is calculated. Default 60. */
  readonly periodSeconds?: number
  /**
   * Also write the score, limited to −100..100, to this AddOnPlacementScore, which no other calculator may use: its
   * `validUntil` is for all its scores. Default none.
   */
  readonly addOnScore?: { readonly resourceName: string; readonly scoreName: string }
}

/** A calculator that runs on the hub, once for each cluster. */
export interface HubCalculator extends CalculatorFields {
  readonly runsOn: 'hub'
  /** Calculate again when a score of these calculators changes. Default none. */
  readonly readsScores?: readonly string[]
  readonly calculate: (facts: HubFacts) => Calculated
}

/** A calculator that runs in the agent of each cluster. */
export interface SpokeCalculator extends CalculatorFields {
  readonly runsOn: 'cluster'
  readonly calculate: (facts: SpokeFacts) => Calculated
}

export type Calculator = HubCalculator | SpokeCalculator

const DEFAULT_PERIOD_SECONDS = 60
const MAX_PERIOD_SECONDS = 86_400
/** A score survives two missed calculations. */
const PERIODS_OF_VALIDITY = 3

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/
const RESERVED_NAMES: readonly string[] = Object.values(ScoreCalculator)

/** Defines a calculator. Throws a `RangeError` that names the field if one is not valid. */
export function defineCalculator(calculator: HubCalculator): HubCalculator
export function defineCalculator(calculator: SpokeCalculator): SpokeCalculator
export function defineCalculator(calculator: Calculator): Calculator {
  const { name } = checkedCalculator(calculator)
  // Scores are named in lower case: both calculators would write the same object in turn.
  const builtIn = RESERVED_NAMES.find((reserved) => reserved.toLowerCase() === name.toLowerCase())
  if (builtIn !== undefined) {
    throw new RangeError(
      `calculator name ${JSON.stringify(name)} is reserved for the built-in calculator ${builtIn}, whose scores it would ` +
        `overwrite: choose a name other than ${RESERVED_NAMES.join(', ')}`,
    )
  }
  return calculator
}

/** Returns the calculator, of Orrery itself or of a user, if its fields are valid. Throws a `RangeError` otherwise. */
export function checkedCalculator<C extends Calculator>(calculator: C): C {
  const { name, runsOn, addOnScore } = calculator
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new RangeError(
      `calculator name ${JSON.stringify(name)} is not valid: use up to 63 letters (A-Z, a-z), digits and "-", ` +
        'with a letter or digit first and last',
    )
  }
  if (runsOn !== 'hub' && runsOn !== 'cluster') {
    throw new RangeError(`calculator ${name}: runsOn must be "hub" or "cluster", not ${JSON.stringify(runsOn)}`)
  }
  const period = periodOf(calculator)
  if (!(period >= 1 && period <= MAX_PERIOD_SECONDS)) {
    throw new RangeError(`calculator ${name}: periodSeconds must be from 1 to ${MAX_PERIOD_SECONDS}, not ${period}`)
  }
  if (addOnScore !== undefined && (addOnScore.resourceName === '' || addOnScore.scoreName === '')) {
    throw new RangeError(`calculator ${name}: addOnScore needs a resourceName and a scoreName`)
  }
  return calculator
}

/** The seconds between two calculations. */
export function periodOf({ periodSeconds = DEFAULT_PERIOD_SECONDS }: Calculator): number {
  return periodSeconds
}

/** The seconds after which a score expires that is not calculated again. */
export function validityOf(calculator: Calculator): number {
  return Math.max(DEFAULT_SCORE_VALIDITY_SECONDS, PERIODS_OF_VALIDITY * periodOf(calculator))
}

/** Throws a `RangeError` if calculators cannot run together in this place. */
export function checkCalculators(place: Calculator['runsOn'], calculators: readonly Calculator[]): void {
  checkRunsOn(place, calculators)
  checkDistinct(calculators)
}

/** Throws if two calculators would write the same object. */
function checkDistinct(calculators: readonly Calculator[]): void {
  const names = calculators.map(({ name }) => name.toLowerCase())
  const resources = calculators.flatMap(({ addOnScore }) => addOnScore?.resourceName ?? [])
  for (const list of [names, resources]) {
    const twice = list.find((one, index) => list.indexOf(one) !== index)
    if (twice !== undefined) throw new RangeError(`two calculators write the score ${JSON.stringify(twice)}`)
  }
}

const RUN_WITH = {
  hub: 'hubScores of @orrery/scores',
  cluster: 'scorePart of @orrery/agent',
} as const satisfies Record<Calculator['runsOn'], string>

/** Throws if a calculator is for the other place: it would be called with facts that it does not expect. */
function checkRunsOn(place: Calculator['runsOn'], calculators: readonly Calculator[]): void {
  const misplaced = calculators.find(({ runsOn }) => runsOn !== place)
  if (misplaced === undefined) return
  const other = place === 'hub' ? 'cluster' : 'hub'
  throw new RangeError(
    `calculator ${misplaced.name} has runsOn ${JSON.stringify(misplaced.runsOn)} and cannot run with ${RUN_WITH[place]}: ` +
      `set runsOn to "${place}", or run it with ${RUN_WITH[other]}`,
  )
}
