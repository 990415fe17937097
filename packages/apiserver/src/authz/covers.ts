import type { PolicyRule } from './rbacobjects.js'
import { withoutStars } from './rulematcher.js'

/** Bounds the work for roles that list thousands of everything: what is beyond counts as not covered. */
const MAX_PARTS = 20_000

/** One verb on one resource (of one name) or one path: covered by a single rule or not at all. */
interface Part {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly name: string | undefined
  readonly path: string | undefined
}

/**
 * What of `wanted` the `held` rules do not allow, one permission a rule. Empty when everything is covered. Covering is
 * judged by the words of the rules: `get` and `list` together do not cover `*`.
 */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const holders = held.map((rule) => new Holder(rule))
  const uncovered: PolicyRule[] = []
  let budget = MAX_PARTS
  for (const rule of wanted) {
    if (holders.some((holder) => holder.coversWhole(rule))) continue
    budget -= countParts(rule)
    if (budget < 0) {
      uncovered.push(rule)
      continue
    }
    for (const part of partsOf(rule)) {
      if (!holders.some((holder) => holder.covers(part))) uncovered.push(ruleOf(part))
    }
  }
  return uncovered
}

class Holder {
  readonly #verbs: ReadonlySet<string>
  readonly #groups: ReadonlySet<string>
  readonly #resources: ReadonlySet<string>
  readonly #names: ReadonlySet<string>
  readonly #paths: ReadonlySet<string>
  readonly #pathPrefixes: readonly string[]

  constructor(rule: PolicyRule) {
    this.#verbs = new Set(rule.verbs)
    this.#groups = new Set(rule.apiGroups)
    this.#resources = new Set(rule.resources)
    this.#names = new Set(rule.resourceNames)
    this.#paths = new Set(rule.nonResourceURLs)
    this.#pathPrefixes = (rule.nonResourceURLs ?? []).filter((url) => url.endsWith('*')).map(withoutStars)
  }

  covers({ verb, group, resource, name, path }: Part): boolean {
    if (!this.#hasVerb(verb)) return false
    if (path !== undefined) return this.#hasPath(path)
    return this.#hasGroup(group) && this.#hasResource(resource) && this.#hasName(name)
  }

  /** True when this one rule covers every part of another, without taking it apart. */
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
    return this.#verbs.has('*') || this.#verbs.has(verb)
  }

  #hasGroup(group: string): boolean {
    return this.#groups.has('*') || this.#groups.has(group)
  }

  #hasResource(resource: string): boolean {
    if (this.#resources.has('*') || this.#resources.has(resource)) return true
    const slash = resource.indexOf('/')
    return slash >= 0 && this.#resources.has(`*${resource.slice(slash)}`)
  }

  /** A rule without names is about all of them. */
  #hasName(name: string | undefined): boolean {
    return this.#names.size === 0 || (name !== undefined && this.#names.has(name))
  }

  #hasPath(path: string): boolean {
    return this.#paths.has(path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix))
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

/** Rules on the same resource become one with all their verbs, so that a person can read the list. */
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

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}` */
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

/** `["a" "b"]`, as Go prints a list of strings. */
export function quoteList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`
}
