import type { PolicyRule } from '@orrery/kinds/rbac'
import { type Choice, choiceOf, chooses, type Lookup, lookupOf, pathPrefixesOf } from './rule-matcher.js'

/** Limits the work for huge roles: parts beyond the limit count as not covered. */
const MAX_PARTS = 20_000
/** Limits the number of lookups: a user with thousands of rules cannot request thousands more. */
const MAX_LOOKUPS = 10_000_000
/** The maximum length of rules in a message. */
const MAX_DESCRIBED_LENGTH = 64 * 1024

/** One verb on one resource (with one name) or one path: a single rule covers it or not. */
interface Part {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string | undefined
  readonly path: string | undefined
}

/**
 * Returns the parts of `wanted` that the `held` rules do not cover, one permission for each rule (`validation.Covers`).
 * Empty if everything is covered. Rules are compared literally: `get` and `list` together do not cover `*`.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const lookups = { left: MAX_LOOKUPS }
  const holders = held.map((rule) => new Holder(rule, lookups))
  const uncovered: PolicyRule[] = []
  let budget = MAX_PARTS
  for (const rule of wanted) {
    if (lookups.left < 0) return [...uncovered, rule]
    if (holders.some((holder) => holder.coversWhole(rule))) continue
    budget -= countParts(rule)
    if (budget < 0) {
      uncovered.push(rule)
      continue
    }
    for (const part of partsOf(rule)) {
      if (lookups.left < 0) return [...uncovered, rule]
      if (!holders.some((holder) => holder.covers(part))) uncovered.push(ruleOf(part))
    }
  }
  return uncovered
}

class Holder {
  readonly #verbs: Choice
  readonly #groups: Choice
  readonly #resources: Choice
  readonly #names: Choice
  readonly #paths: Lookup
  readonly #pathPrefixes: readonly string[]

  /** Shared by all rules of one check. If none is left, nothing more is covered. */
  readonly #lookups: { left: number }

  constructor(rule: PolicyRule, lookups: { left: number }) {
    this.#lookups = lookups
    this.#verbs = choiceOf(rule.verbs)
    this.#groups = choiceOf(rule.apiGroups)
    this.#resources = choiceOf(rule.resources)
    // A rule without names applies to all names.
    this.#names = rule.resourceNames?.length ? lookupOf(rule.resourceNames) : '*'
    this.#paths = lookupOf(rule.nonResourceURLs)
    this.#pathPrefixes = pathPrefixesOf(rule)
  }

  covers({ verb, group, resource, name, path }: Part): boolean {
    if (!this.#hasVerb(verb)) return false
    if (path !== undefined) return this.#hasPath(path)
    return this.#hasGroup(group) && this.#hasResource(resource) && this.#hasName(name)
  }

  /** Returns whether this rule covers every part of another, without splitting it. */
  coversWhole({
    verbs,
    apiGroups = [],
    resources = [],
    resourceNames = [],
    nonResourceURLs = [],
  }: PolicyRule): boolean {
    const isResourceRule = apiGroups.length > 0 && resources.length > 0
    const names = resourceNames.length === 0 ? [undefined] : resourceNames
    return (
      verbs.every((verb) => this.#hasVerb(verb)) &&
      nonResourceURLs.every((path) => this.#hasPath(path)) &&
      (!isResourceRule ||
        (apiGroups.every((group) => this.#hasGroup(group)) &&
          resources.every((resource) => this.#hasResource(resource)) &&
          names.every((name) => this.#hasName(name))))
    )
  }

  #hasVerb(verb: string): boolean {
    return this.#mayLook() && chooses(this.#verbs, verb)
  }

  #hasGroup(group: string): boolean {
    return this.#mayLook() && chooses(this.#groups, group)
  }

  #hasResource(resource: string): boolean {
    if (!this.#mayLook()) return false
    if (chooses(this.#resources, resource)) return true
    const slash = resource.indexOf('/')
    return slash >= 0 && chooses(this.#resources, `*${resource.slice(slash)}`)
  }

  #hasName(name: string | undefined): boolean {
    return this.#mayLook() && (name === undefined ? this.#names === '*' : chooses(this.#names, name))
  }

  #hasPath(path: string): boolean {
    if (!this.#mayLook(1 + this.#pathPrefixes.length)) return false
    return chooses(this.#paths, path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix))
  }

  #mayLook(times = 1): boolean {
    this.#lookups.left -= times
    return this.#lookups.left >= 0
  }
}

function countParts({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): number {
  const resourceParts = apiGroups.length * resources.length * Math.max(1, resourceNames.length)
  return verbs.length * (resourceParts + nonResourceURLs.length)
}

function* partsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Generator<Part> {
  const names = resourceNames.length === 0 ? [undefined] : resourceNames
  for (const group of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs) {
        for (const name of names) yield { verb, group, resource, name, path: undefined }
      }
    }
  }
  for (const path of nonResourceURLs) {
    for (const verb of verbs) yield { verb, group: '', resource: '', name: undefined, path }
  }
}

function ruleOf({ verb, group, resource, name, path }: Part): PolicyRule {
  if (path !== undefined) return { verbs: [verb], nonResourceURLs: [path] }
  const rule: PolicyRule = { verbs: [verb], apiGroups: [group], resources: [resource] }
  return name === undefined ? rule : { ...rule, resourceNames: [name] }
}

/** Combines rules for the same resource into one with all their verbs, for readable messages. */
export function compactRules(rules: readonly PolicyRule[]): PolicyRule[] {
  const compacted: PolicyRule[] = []
  const bySubject = new Map<string, PolicyRule>()
  for (const rule of rules) {
    const isSimple =
      rule.apiGroups?.length === 1 &&
      rule.resources?.length === 1 &&
      (rule.resourceNames?.length ?? 0) < 2 &&
      (rule.nonResourceURLs?.length ?? 0) === 0
    if (!isSimple) {
      compacted.push(rule)
      continue
    }
    const key = JSON.stringify([rule.apiGroups, rule.resources, rule.resourceNames])
    const same = bySubject.get(key)
    bySubject.set(key, same === undefined ? rule : { ...same, verbs: [...same.verbs, ...rule.verbs] })
  }
  return [...compacted, ...bySubject.values()]
}

/** Formats rules, one on each line. The first is always shown; beyond the limit only the number of the others. */
export function describeRules(rules: readonly PolicyRule[]): string {
  let length = 0
  const end = rules.findIndex((rule) => {
    length += textLength(rule)
    return length > MAX_DESCRIBED_LENGTH
  })
  const shown = end < 0 ? rules : rules.slice(0, Math.max(1, end))
  const lines = [...new Set(compactRules(shown).map(describeRule))].sort()
  if (shown.length < rules.length) lines.push(`and ${rules.length - shown.length} more`)
  return lines.join('\n')
}

/** Returns the approximate length of a formatted rule. */
function textLength({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule) {
  let length = 0
  for (const words of [verbs, apiGroups, resources, resourceNames, nonResourceURLs]) {
    for (const word of words) length += word.length + 3
  }
  return length
}

/** Formats a rule: `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}`. */
export function describeRule(rule: PolicyRule): string {
  const fields: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ]
  const parts = fields
    .filter(([, values]) => values?.length)
    .map(([name, values]) => `${name}:${quoteList(values ?? [])}`)
  return `{${parts.join(', ')}}`
}

/** Formats a list of strings like Go: `["a" "b"]`. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}
