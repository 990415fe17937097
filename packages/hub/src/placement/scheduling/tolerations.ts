import type { Toleration } from '@orrery/api'
import type { ClusterFacts, TaintFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'

/** A toleration, with the defaults filled in. */
export interface CompiledToleration {
  /** Empty: any key. */
  readonly key: string
  readonly operator: string
  readonly value: string
  /** Empty: any effect. */
  readonly effect: string
  /** How long a taint is tolerated from the time it was added, in milliseconds. Infinity: without limit. */
  readonly lasts: number
}

/** Checks and compiles tolerations. Throws `Misconfigured`. */
export function compileTolerations(tolerations: readonly Toleration[]): CompiledToleration[] {
  return tolerations.map(({ key = '', operator = 'Equal', value = '', effect, tolerationSeconds }, index) => {
    const path = `spec.tolerations[${index}]`
    if (key === '' && operator !== 'Exists') {
      throw new Misconfigured(`${path}.operator`, 'must be Exists if key is empty: set the key, or the operator Exists')
    }
    if (operator === 'Exists' && value !== '') {
      throw new Misconfigured(`${path}.value`, 'must be empty with the operator Exists: remove the value')
    }
    const lasts = tolerationSeconds === undefined ? Number.POSITIVE_INFINITY : tolerationSeconds * 1000
    return { key, operator: operator === '' ? 'Equal' : operator, value, effect: effect ?? '', lasts }
  })
}

/** A taint that is not tolerated: the time until which it is tolerated has passed, or there never was one. */
const NOT_TOLERATED = Number.NEGATIVE_INFINITY

/** Until when a taint is tolerated, in milliseconds. Infinity: without limit; `NOT_TOLERATED`: not now. */
function toleratedUntil(taint: TaintFacts, tolerations: readonly CompiledToleration[], now: number): number {
  let until = NOT_TOLERATED
  for (const toleration of tolerations) {
    if (!matches(toleration, taint)) continue
    const end = toleration.lasts === Number.POSITIVE_INFINITY ? toleration.lasts : taint.addedAt + toleration.lasts
    if (now < end && end > until) until = end
  }
  return until
}

/** Whether a toleration matches a taint at all, whatever the time. */
export function matches({ key, operator, value, effect }: CompiledToleration, taint: TaintFacts): boolean {
  if (effect !== '' && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (operator === 'Equal' && value === taint.value)
}

/** The result for all taints of a cluster. */
export interface TaintResult {
  /** The first taint that keeps the placement from selecting the cluster. */
  readonly blocking: TaintFacts | undefined
  /** The number of PreferNoSelect taints that are not tolerated. */
  readonly avoided: number
  /** When this result changes, in milliseconds. */
  readonly until: number
}

const untainted: TaintResult = { blocking: undefined, avoided: 0, until: Number.POSITIVE_INFINITY }

/** NoSelectIfNew does not apply to a cluster that the placement has already selected. */
export function checkTaints(
  { taints }: ClusterFacts,
  tolerations: readonly CompiledToleration[],
  isDecided: boolean,
  now: number,
): TaintResult {
  if (taints.length === 0) return untainted
  let avoided = 0
  let until = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    if (taint.effect === 'NoSelectIfNew' && isDecided) continue
    const end = toleratedUntil(taint, tolerations, now)
    if (end !== NOT_TOLERATED) until = Math.min(until, end)
    else if (taint.effect === 'PreferNoSelect') avoided++
    else return { blocking: taint, avoided: 0, until: Number.POSITIVE_INFINITY }
  }
  return { blocking: undefined, avoided, until }
}

/** All taints that keep the placement from selecting the cluster. */
export function blockingTaints(
  { taints }: ClusterFacts,
  tolerations: readonly CompiledToleration[],
  isDecided: boolean,
  now: number,
): TaintFacts[] {
  return taints.filter(
    (taint) =>
      taint.effect !== 'PreferNoSelect' &&
      !(taint.effect === 'NoSelectIfNew' && isDecided) &&
      toleratedUntil(taint, tolerations, now) === NOT_TOLERATED,
  )
}

/** The PreferNoSelect taints that are not tolerated. */
export function avoidedTaints(
  { taints }: ClusterFacts,
  tolerations: readonly CompiledToleration[],
  now: number,
): TaintFacts[] {
  return taints.filter(
    (taint) => taint.effect === 'PreferNoSelect' && toleratedUntil(taint, tolerations, now) === NOT_TOLERATED,
  )
}
