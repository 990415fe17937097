import { DEFAULT_SCORE_VALIDITY_SECONDS, type ManagedCluster } from '@orrery/api'
import type { Lease, Node, Pod } from '@orrery/kinds'
import { isDNS1123Label } from '@orrery/kinds/values'
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

/** Defines a calculator. Throws a `RangeError` that names the field if one is not valid. */
export function defineCalculator(calculator: HubCalculator): HubCalculator
export function defineCalculator(calculator: SpokeCalculator): SpokeCalculator
export function defineCalculator(calculator: Calculator): Calculator {
  const { name, addOnScore } = calculator
  const [problem] = isDNS1123Label(name.toLowerCase())
  if (problem !== undefined) throw new RangeError(`calculator name ${JSON.stringify(name)} is not valid: ${problem}`)
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

/** Throws if two calculators would write the same object. */
export function checkDistinct(calculators: readonly Calculator[]): void {
  const names = calculators.map(({ name }) => name.toLowerCase())
  const resources = calculators.flatMap(({ addOnScore }) => addOnScore?.resourceName ?? [])
  for (const list of [names, resources]) {
    const twice = list.find((one, index) => list.indexOf(one) !== index)
    if (twice !== undefined) throw new RangeError(`two calculators write the score ${JSON.stringify(twice)}`)
  }
}
