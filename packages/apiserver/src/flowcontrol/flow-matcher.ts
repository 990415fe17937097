import type {
  FlowSchemaSpec,
  FlowSubject,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '@orrery/kinds/flowcontrol'
import type { Identity } from '../identity/identity.js'

/** The attributes of a request that rules match. */
export interface FlowRequest {
  readonly verb: string
  readonly isResource: boolean
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly path: string
}

type Matches = (request: FlowRequest) => boolean

/** Returns the rules of a schema for the requests of one identity; undefined if it does not match the identity. */
export function matcherFor(spec: FlowSchemaSpec, identity: Identity): Matches | undefined {
  const rules = (spec.rules ?? []).filter(({ subjects }) => subjects.some((subject) => isSubject(subject, identity)))
  if (rules.length === 0) return undefined
  if (rules.some(isEverything)) return () => true
  return (request) => rules.some((rule) => matchesRules(rule, request))
}

function isEverything({ resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects): boolean {
  const allResources = resourceRules.some(
    ({ verbs, apiGroups, resources, clusterScope, namespaces = [] }) =>
      clusterScope === true && [verbs, apiGroups, resources, namespaces].every((list) => list.includes('*')),
  )
  return allResources && nonResourceRules.some((rule) => rule.verbs.includes('*') && rule.nonResourceURLs.includes('*'))
}

const SERVICE_ACCOUNT = 'system:serviceaccount:'

function isSubject({ kind, user, group, serviceAccount }: FlowSubject, { username, groups }: Identity): boolean {
  switch (kind) {
    case 'User':
      return user !== undefined && (user.name === '*' || user.name === username)
    case 'Group':
      return group !== undefined && (group.name === '*' || groups.includes(group.name))
    case 'ServiceAccount': {
      if (serviceAccount === undefined) return false
      const inNamespace = `${SERVICE_ACCOUNT}${serviceAccount.namespace}:`
      return serviceAccount.name === '*'
        ? username.startsWith(inNamespace)
        : username === `${inNamespace}${serviceAccount.name}`
    }
    default:
      return false
  }
}

function matchesRules({ resourceRules, nonResourceRules }: PolicyRulesWithSubjects, request: FlowRequest): boolean {
  if (request.isResource) return (resourceRules ?? []).some((rule) => matchesResource(rule, request))
  return (nonResourceRules ?? []).some((rule) => matchesPath(rule, request))
}

function matchesResource(rule: ResourcePolicyRule, request: FlowRequest): boolean {
  const { verb, group, resource, subresource, namespace } = request
  const named = subresource === '' ? resource : `${resource}/${subresource}`
  if (!has(rule.verbs, verb) || !has(rule.apiGroups, group) || !has(rule.resources, named)) return false
  return namespace === '' ? rule.clusterScope === true : has(rule.namespaces ?? [], namespace)
}

function matchesPath(rule: NonResourcePolicyRule, { verb, path }: FlowRequest): boolean {
  if (!has(rule.verbs, verb)) return false
  return rule.nonResourceURLs.some(
    (url) => url === '*' || url === path || (url.endsWith('/*') && path.startsWith(url.slice(0, -1))),
  )
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value)
}
