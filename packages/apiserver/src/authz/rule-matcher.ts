import type { PolicyRule } from '@orrery/kinds/rbac'
import type { AccessRequest } from '../identity/identity.js'

/** Values to look up. A role can have tens of thousands of rules with a few values each: those need no sets. */
export type Lookup = Set<string> | readonly string[]

/** Some values, or all. */
export type Choice = Lookup | '*'

/** More values than this are in a set. */
const FEW = 8

/** A policy rule compiled for repeated matching. */
export class RuleMatcher {
  readonly rule: PolicyRule
  readonly #verbs: Choice
  readonly #groups: Choice
  readonly #resources: Choice
  readonly #names: Choice
  readonly #paths: Lookup
  readonly #pathPrefixes: readonly string[]

  constructor(rule: PolicyRule) {
    this.rule = rule
    this.#verbs = choiceOf(rule.verbs)
    this.#groups = choiceOf(rule.apiGroups)
    this.#resources = choiceOf(rule.resources)
    this.#names = rule.resourceNames?.length ? lookupOf(rule.resourceNames) : '*'
    this.#paths = lookupOf(rule.nonResourceURLs)
    this.#pathPrefixes = pathPrefixesOf(rule)
  }

  allows(request: AccessRequest): boolean {
    if (!chooses(this.#verbs, request.verb)) return false
    if (!request.isResource) return this.#allowsPath(request.path)
    return (
      chooses(this.#groups, request.group) &&
      this.#allowsResource(request.resource, request.subresource) &&
      chooses(this.#names, request.name)
    )
  }

  #allowsResource(resource: string, subresource: string): boolean {
    if (subresource === '') return chooses(this.#resources, resource)
    return chooses(this.#resources, `${resource}/${subresource}`) || chooses(this.#resources, `*/${subresource}`)
  }

  #allowsPath(path: string): boolean {
    return chooses(this.#paths, path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix))
  }
}

const NOTHING: readonly string[] = []

/** Returns the beginnings of paths that a rule allows: those with a star at the end. */
export function pathPrefixesOf({ nonResourceURLs }: PolicyRule): readonly string[] {
  if (!nonResourceURLs?.length) return NOTHING
  return nonResourceURLs.filter((url) => url.endsWith('*')).map(withoutStars)
}

/** Removes trailing stars: `/healthz/*` → `/healthz/`. */
function withoutStars(pattern: string): string {
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === '*') end--
  return pattern.slice(0, end)
}

export function lookupOf(values: readonly string[] | undefined): Lookup {
  if (!values?.length) return NOTHING
  return values.length > FEW ? new Set(values) : values
}

/** A star stands for all values. */
export function choiceOf(values: readonly string[] | undefined): Choice {
  return values?.includes('*') ? '*' : lookupOf(values)
}

export function chooses(choice: Choice, value: string): boolean {
  if (choice === '*') return true
  return choice instanceof Set ? choice.has(value) : choice.includes(value)
}
