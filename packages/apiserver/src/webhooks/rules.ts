import type { RuleWithOperations } from '@orrery/kinds/admissionregistration'

/** What rules match. */
export interface RuleInput {
  readonly operation: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
  /** Whether the object is in a namespace. A Namespace is not. */
  readonly isNamespaced: boolean
}

/** Returns whether a rule matches a request. */
export function ruleMatches(rule: RuleWithOperations, input: RuleInput): boolean {
  return (
    has(rule.operations, input.operation) &&
    has(rule.apiGroups, input.group) &&
    has(rule.apiVersions, input.version) &&
    resourceMatches(rule, input) &&
    scopeMatches(rule, input)
  )
}

function has(list: readonly string[] = [], value: string): boolean {
  return list.includes('*') || list.includes(value)
}

function resourceMatches({ resources = [] }: RuleWithOperations, input: RuleInput): boolean {
  return resources.some((pattern) => {
    const slash = pattern.indexOf('/')
    const resource = slash < 0 ? pattern : pattern.slice(0, slash)
    const subresource = slash < 0 ? '' : pattern.slice(slash + 1)
    return isOneOf(resource, input.resource) && isOneOf(subresource, input.subresource)
  })
}

function isOneOf(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value
}

function scopeMatches({ scope = '*' }: RuleWithOperations, { isNamespaced }: RuleInput): boolean {
  return scope === '*' || scope === (isNamespaced ? 'Namespaced' : 'Cluster')
}
