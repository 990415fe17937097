import type { PrioritizerConfig, SpreadConstraint, Toleration } from '@orrery/api'
import { isDNS1123Subdomain, parseLabelSelector } from '@orrery/kinds/values'
import { InvalidArgumentError } from 'commander'

/** Parses the name of a placement. Its decisions have the name as a label, which limits its length. */
export function placementName(text: string): string {
  const [problem] = isDNS1123Subdomain(text)
  if (problem !== undefined) throw new InvalidArgumentError(`Not a valid name of a placement: ${problem}.`)
  return text
}

/** Parses the number of clusters. */
export function clusterCount(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= 1)) throw new InvalidArgumentError('Use a number of clusters from 1.')
  return value
}

/** Parses one label selector: `region=eu,tier in (a,b)`. */
export function selector(text: string): string {
  try {
    if (parseLabelSelector(text).requirements.length === 0) throw new Error('it is empty')
    return text
  } catch (error) {
    throw new InvalidArgumentError(`Not a valid selector: ${(error as Error).message}.`)
  }
}

/** Collects label selectors, each for a predicate of its own. */
export function selectors(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, selector(text)]
}

/** Collects requirements, each for a predicate of its own, as clusteradm does: `a=b,c=d` has two. */
export function separateSelectors(text: string, before: readonly string[] = []): readonly string[] {
  // A comma in parentheses separates values of one requirement.
  return [...before, ...text.split(/,(?![^(]*\))/).map((part) => selector(part.trim()))]
}

const MAX_WEIGHT = 10

/** Collects prioritizers: `BuiltIn:Steady:3,AddOn:usage:cpu:2`. The weight defaults to 1. */
export function prioritizers(text: string, before: readonly PrioritizerConfig[] = []): readonly PrioritizerConfig[] {
  return [...before, ...text.split(',').map((part) => prioritizer(part.trim()))]
}

function prioritizer(text: string): PrioritizerConfig {
  const [type, ...parts] = text.split(':')
  const expected = 'Use BuiltIn:NAME[:WEIGHT] or AddOn:RESOURCE:SCORE[:WEIGHT].'
  if (parts.includes('')) throw new InvalidArgumentError(expected)
  if (type === 'BuiltIn' && (parts.length === 1 || parts.length === 2)) {
    const [builtIn = '', weight] = parts
    return { scoreCoordinate: { type, builtIn }, weight: weightOf(weight) }
  }
  if (type === 'AddOn' && (parts.length === 2 || parts.length === 3)) {
    const [resourceName = '', scoreName = '', weight] = parts
    return { scoreCoordinate: { type, addOn: { resourceName, scoreName } }, weight: weightOf(weight) }
  }
  throw new InvalidArgumentError(expected)
}

function weightOf(text = '1'): number {
  const weight = /^-?\d{1,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(Math.abs(weight) <= MAX_WEIGHT)) {
    throw new InvalidArgumentError(`A weight is a number from -${MAX_WEIGHT} to ${MAX_WEIGHT}.`)
  }
  return weight
}

const EFFECTS = ['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'] as const

/** Collects tolerations: `gpu`, `gpu=a100`, `gpu=a100:NoSelect`. */
export function tolerations(text: string, before: readonly Toleration[] = []): readonly Toleration[] {
  return [...before, ...text.split(',').map((part) => toleration(part.trim()))]
}

function toleration(text: string): Toleration {
  const {
    key = '',
    value,
    effect,
  } = /^(?<key>[^=:]+)(?:=(?<value>[^:]*))?(?::(?<effect>\w+))?$/.exec(text)?.groups ?? {}
  const known = EFFECTS.find((one) => one === effect)
  if (key === '' || (effect !== undefined && known === undefined)) {
    throw new InvalidArgumentError(`Use KEY[=VALUE][:EFFECT], where EFFECT is ${EFFECTS.join(', ')}.`)
  }
  return {
    key,
    ...(value === undefined ? { operator: 'Exists' } : { operator: 'Equal', value }),
    ...(known !== undefined && { effect: known }),
  }
}

/** Collects spread constraints: `Label:region`, `Claim:zone:2`. They are hard: fewer clusters rather than a larger skew. */
export function spreadConstraints(text: string, before: readonly SpreadConstraint[] = []): readonly SpreadConstraint[] {
  return [...before, ...text.split(',').map((part) => spreadConstraint(part.trim()))]
}

function spreadConstraint(text: string): SpreadConstraint {
  const {
    type,
    key = '',
    skew = '1',
  } = /^(?<type>Label|Claim):(?<key>[^:]+)(?::(?<skew>[1-9]\d{0,5}))?$/.exec(text)?.groups ?? {}
  if (type !== 'Label' && type !== 'Claim') {
    throw new InvalidArgumentError('Use Label:KEY[:MAXSKEW] or Claim:KEY[:MAXSKEW].')
  }
  return { topologyKeyType: type, topologyKey: key, maxSkew: Number(skew), whenUnsatisfiable: 'DoNotSchedule' }
}
