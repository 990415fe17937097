import type { PolicyRule } from '@orrery/kinds/rbac'
import type { AccessRequest } from '../identity/identity.js'

/** A set of values, or all. */
type Choice = ReadonlySet<string> | '*'

/** A policy rule compiled for repeated matching. */
export class RuleMatcher {
  readonly rule: PolicyRule
  readonly #verbs: Choice
  readonly #groups: Choice
  readonly #resources: Choice
  readonly #names: Choice
  readonly #paths: ReadonlySet<string>
  readonly #pathPrefixes: readonly string[]

  constructor(rule: PolicyRule) {
    this.rule = rule
    this.#verbs = choiceOf(rule.verbs)
    this.#groups = choiceOf(rule.apiGroups)
    this.#resources = choiceOf(rule.resources)
    this.#names = rule.resourceNames?.length ? new Set(rule.resourceNames) : '*'
    this.#paths = new Set(rule.nonResourceURLs)
    this.#pathPrefixes = (rule.nonResourceURLs ?? []).filter((url) => url.endsWith('*')).map(withoutStars)
  }

  allows(request: AccessRequest): boolean {
    if (!has(this.#verbs, request.verb)) return false
    if (!request.isResource) return this.#allowsPath(request.path)
    return (
      has(this.#groups, request.group) &&
      this.#allowsResource(request.resource, request.subresource) &&
      has(this.#names, request.name)
    )
  }

  #allowsResource(resource: string, subresource: string): boolean {
    if (subresource === '') return has(this.#resources, resource)
    return has(this.#resources, `${resource}/${subresource}`) || has(this.#resources, `*/${subresource}`)
  }

  #allowsPath(path: string): boolean {
    return this.#paths.has(path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix))
  }
}

/** Removes trailing stars: `/healthz/*` → `/healthz/`. */
export function withoutStars(pattern: string): string {
  let end = pattern.length
  while (end > 0 && pattern[end - 1] === '*') end--
  return pattern.slice(0, end)
}

function choiceOf(values: readonly string[] | undefined): Choice {
  return values?.includes('*') ? '*' : new Set(values)
}

function has(choice: Choice, value: string): boolean {
  return choice === '*' || choice.has(value)
}
