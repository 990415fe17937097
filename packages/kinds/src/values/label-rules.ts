import { pairsOf } from './label-pairs.js'
import { type LabelRequirement, type Labels, parseInt64, satisfies } from './label-requirement.js'

/** All requirements for one key. */
interface KeyRule {
  /** Whether the label must exist. */
  isRequired: boolean
  isForbidden: boolean
  /** The values that are allowed. */
  among: ReadonlySet<string> | undefined
  /** The values that are not allowed. */
  readonly except: Set<string>
  above: bigint | undefined
  below: bigint | undefined
}

/** Selectors with fewer requirements and values are evaluated as they are, which is faster. */
const MANY = 8

/**
 * Returns whether labels meet all requirements. The requirements are combined by key, so that the time does not grow with
 * their number: thousands of watches may evaluate thousands of requirements for each change.
 */
export function compileRequirements(
  requirements: readonly LabelRequirement[],
): (labels: Labels | undefined) => boolean {
  const [only] = requirements
  const isSmall = requirements.length <= MANY && requirements.every(({ values }) => values.length <= MANY)
  if (!isSmall) return compileRules(requirements)
  if (only !== undefined && requirements.length === 1) return (labels) => satisfies(only, labels?.[only.key])
  return (labels) => {
    for (const requirement of requirements) {
      if (!satisfies(requirement, labels?.[requirement.key])) return false
    }
    return true
  }
}

/** What is returned keeps the rules in memory, but not the requirements. */
function compileRules(requirements: readonly LabelRequirement[]): (labels: Labels | undefined) => boolean {
  const rules = new Map<string, KeyRule>()
  for (const requirement of requirements) {
    const rule = rules.get(requirement.key) ?? newRule()
    rules.set(requirement.key, rule)
    narrow(rule, requirement)
  }
  const required = [...rules].filter(([, { isRequired }]) => isRequired)
  for (const [key] of required) rules.delete(key)
  return matcherOf(required, rules)
}

const NO_LABELS: Labels = {}

function matcherOf(
  required: readonly (readonly [key: string, rule: KeyRule])[],
  optional: ReadonlyMap<string, KeyRule>,
): (labels: Labels | undefined) => boolean {
  return (labels = NO_LABELS) => {
    for (const [key, rule] of required) {
      const value: unknown = labels[key]
      if (typeof value !== 'string' || !allows(rule, value)) return false
    }
    if (optional.size === 0) return true
    const pairs = pairsOf(labels)
    if (pairs.length <= optional.size) {
      return pairs.every(([key, value]) => {
        const rule = optional.get(key)
        return rule === undefined || allows(rule, value)
      })
    }
    for (const [key, rule] of optional) {
      const value: unknown = labels[key]
      if (typeof value === 'string' && !allows(rule, value)) return false
    }
    return true
  }
}

function newRule(): KeyRule {
  return {
    isRequired: false,
    isForbidden: false,
    among: undefined,
    except: new Set(),
    above: undefined,
    below: undefined,
  }
}

/** Adds a requirement to the rule of its key. */
function narrow(rule: KeyRule, { operator, values }: LabelRequirement): void {
  if (operator === '!') rule.isForbidden = true
  else if (operator === '!=' || operator === 'notin') for (const value of values) rule.except.add(value)
  else {
    rule.isRequired = true
    if (operator === '=' || operator === 'in') {
      const { among } = rule
      rule.among = new Set(among === undefined ? values : values.filter((value) => among.has(value)))
    } else if (operator !== 'exists') narrowRange(rule, operator, parseInt64(values[0] ?? ''))
  }
}

function narrowRange(rule: KeyRule, operator: '>' | '<', bound: bigint | undefined): void {
  if (bound === undefined) rule.isForbidden = true
  else if (operator === '>') rule.above = rule.above === undefined || bound > rule.above ? bound : rule.above
  else rule.below = rule.below === undefined || bound < rule.below ? bound : rule.below
}

/** Whether a rule allows a value that exists. */
function allows({ isForbidden, among, except, above, below }: KeyRule, value: string): boolean {
  if (isForbidden || except.has(value) || among?.has(value) === false) return false
  if (above === undefined && below === undefined) return true
  const number = parseInt64(value)
  if (number === undefined) return false
  return (above === undefined || number > above) && (below === undefined || number < below)
}
