import type { Toleration } from '@orrery/api'
import type { ClusterFacts, TaintFacts } from './facts.js'
import { Misconfigured } from './misconfigured.js'

/**
 * How long taints are tolerated from the time they were added, by effect, in milliseconds. The empty effect is for all.
 * Infinity: without limit.
 */
type LastsByEffect = Map<string, number>

interface TolerationsOfKey {
  /** The operator Exists. */
  readonly anyValue: LastsByEffect
  /** The operator Equal. */
  readonly byValue: Map<string, LastsByEffect>
}

/** The tolerations of a placement. They are looked up, because both a placement and a cluster can have very many. */
export class Tolerations {
  /** The empty key is for taints of all keys. */
  readonly #byKey = new Map<string, TolerationsOfKey>()

  add(key: string, value: string | undefined, effect: string, lasts: number): void {
    const ofKey = getOrSet(this.#byKey, key, () => ({ anyValue: new Map(), byValue: new Map() }))
    const byEffect = value === undefined ? ofKey.anyValue : getOrSet(ofKey.byValue, value, () => new Map())
    byEffect.set(effect, Math.max(lasts, byEffect.get(effect) ?? lasts))
  }

  /** How long a taint is tolerated from the time it was added; undefined if no toleration matches it. */
  lastsFor({ key, value, effect }: TaintFacts): number | undefined {
    let longest: number | undefined
    for (const ofKey of [this.#byKey.get(key), this.#byKey.get('')]) {
      for (const byEffect of [ofKey?.anyValue, ofKey?.byValue.get(value)]) {
        for (const lasts of [byEffect?.get(effect), byEffect?.get('')]) {
          if (lasts !== undefined && (longest === undefined || lasts > longest)) longest = lasts
        }
      }
    }
    return longest
  }
}

function getOrSet<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Checks and compiles tolerations. Throws `Misconfigured`. */
export function compileTolerations(tolerations: readonly Toleration[]): Tolerations {
  const compiled = new Tolerations()
  for (const [index, { key = '', operator, value = '', effect = '', tolerationSeconds }] of tolerations.entries()) {
    const path = `spec.tolerations[${index}]`
    if (key === '' && operator !== 'Exists') {
      throw new Misconfigured(`${path}.operator`, 'must be Exists if key is empty: set the key, or the operator Exists')
    }
    if (operator === 'Exists' && value !== '') {
      throw new Misconfigured(`${path}.value`, 'must be empty with the operator Exists: remove the value')
    }
    const lasts = tolerationSeconds === undefined ? Number.POSITIVE_INFINITY : tolerationSeconds * 1000
    if (operator === 'Exists') compiled.add(key, undefined, effect, lasts)
    else if ((operator || 'Equal') === 'Equal') compiled.add(key, value, effect, lasts)
  }
  return compiled
}

/** A taint that is not tolerated: the time until which it is tolerated has passed, or there never was one. */
const NOT_TOLERATED = Number.NEGATIVE_INFINITY

/** Until when a taint is tolerated, in milliseconds. Infinity: without limit; `NOT_TOLERATED`: not now. */
function toleratedUntil(taint: TaintFacts, tolerations: Tolerations, now: number): number {
  const lasts = tolerations.lastsFor(taint)
  if (lasts === undefined) return NOT_TOLERATED
  const end = lasts === Number.POSITIVE_INFINITY ? lasts : taint.addedAt + lasts
  return now < end ? end : NOT_TOLERATED
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
  tolerations: Tolerations,
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
  tolerations: Tolerations,
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
export function avoidedTaints({ taints }: ClusterFacts, tolerations: Tolerations, now: number): TaintFacts[] {
  return taints.filter(
    (taint) => taint.effect === 'PreferNoSelect' && toleratedUntil(taint, tolerations, now) === NOT_TOLERATED,
  )
}
