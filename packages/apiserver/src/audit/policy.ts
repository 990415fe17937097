import type { AccessRequest } from '../identity/identity.js'
import { parseYaml } from '../yaml/parse.js'

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse'
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic'

const LEVELS: readonly AuditLevel[] = ['None', 'Metadata', 'Request', 'RequestResponse']
const STAGES: readonly AuditStage[] = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']

interface GroupResources {
  readonly group?: string
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

interface AuditRule {
  readonly level: AuditLevel
  readonly users?: readonly string[]
  readonly userGroups?: readonly string[]
  readonly verbs?: readonly string[]
  readonly resources?: readonly GroupResources[]
  readonly namespaces?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
  readonly omitStages?: readonly AuditStage[]
  readonly omitManagedFields?: boolean
}

/** How much of a request is recorded. */
export interface AuditDecision {
  readonly level: AuditLevel
  readonly omitStages: ReadonlySet<AuditStage>
  readonly omitManagedFields: boolean
}

/** Decides which requests are recorded: the first matching rule applies, and without one nothing is recorded. */
export class AuditPolicy {
  readonly #rules: readonly { readonly rule: AuditRule; readonly decision: AuditDecision }[]
  readonly #otherwise: AuditDecision

  private constructor(rules: readonly AuditRule[], omitStages: readonly AuditStage[], omitManagedFields: boolean) {
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields }
    this.#rules = rules.map((rule) => ({
      rule,
      decision: {
        level: rule.level,
        omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
        omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
      },
    }))
  }

  /**
   * Parses a policy file: `kind: Policy` of `audit.k8s.io/v1`, YAML or JSON. Throws an error with the invalid field.
   */
  static parse(text: string): AuditPolicy {
    const file: unknown = parseYaml(text).value
    const { apiVersion, kind, rules, omitStages, omitManagedFields } = asRecord(file, 'the audit policy')
    if (apiVersion !== 'audit.k8s.io/v1' || kind !== 'Policy') {
      throw new Error('an audit policy must start with "apiVersion: audit.k8s.io/v1" and "kind: Policy"')
    }
    if (!Array.isArray(rules) || rules.length === 0) throw new Error('loaded illegal policy with 0 rules')
    return new AuditPolicy(
      rules.map((rule, i) => readRule(rule, `rules[${i}]`)),
      stagesOf(omitStages, 'omitStages'),
      omitManagedFields === true,
    )
  }

  /** Records every request once, at its end, without bodies. */
  static metadataOnly(): AuditPolicy {
    return new AuditPolicy([{ level: 'Metadata' }], ['RequestReceived'], true)
  }

  decide(request: AccessRequest): AuditDecision {
    for (const { rule, decision } of this.#rules) if (matches(rule, request)) return decision
    return this.#otherwise
  }
}

function matches(rule: AuditRule, request: AccessRequest): boolean {
  const { identity } = request
  if (rule.users?.length && !rule.users.includes(identity.username)) return false
  if (rule.userGroups?.length && !rule.userGroups.some((group) => identity.groups.includes(group))) return false
  if (rule.verbs?.length && !rule.verbs.includes(request.verb)) return false
  if (rule.namespaces?.length || rule.resources?.length) return matchesResource(rule, request)
  if (rule.nonResourceURLs?.length) {
    return !request.isResource && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, request.path))
  }
  return true
}

function matchesResource({ namespaces, resources }: AuditRule, request: AccessRequest): boolean {
  if (!request.isResource) return false
  if (namespaces?.length && !namespaces.includes(request.namespace)) return false
  if (!resources?.length) return true
  return resources.some((item) => {
    if (item.group !== '*' && (item.group ?? '') !== request.group) return false
    if (!item.resources?.length) return true
    if (item.resourceNames?.length && !item.resourceNames.includes(request.name)) return false
    return item.resources.some((pattern) => matchesName(pattern, request))
  })
}

/** `pods` is the resource alone, `pods/log` its subresource, `pods/*` both, `*`/`log` that of any resource. */
function matchesName(pattern: string, { resource, subresource }: AccessRequest): boolean {
  const whole = subresource === '' ? resource : `${resource}/${subresource}`
  if (pattern === '*' || pattern === whole) return true
  if (pattern.startsWith('*/')) return subresource !== '' && pattern.slice(2) === subresource
  return pattern.endsWith('/*') && pattern.slice(0, -2) === resource
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)))
}

function readRule(value: unknown, where: string): AuditRule {
  const rule = asRecord(value, where)
  if (!LEVELS.includes(rule.level as AuditLevel)) {
    throw new Error(`${where}.level: Unsupported value: ${JSON.stringify(rule.level)}: one of ${LEVELS.join(', ')}`)
  }
  const paths = stringsOf(rule.nonResourceURLs, `${where}.nonResourceURLs`)
  const namespaces = stringsOf(rule.namespaces, `${where}.namespaces`)
  const resources = listOf(rule.resources, `${where}.resources`).map((item, i) =>
    readResources(item, `${where}.resources[${i}]`),
  )
  if (paths.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw new Error(`${where}.nonResourceURLs: rules cannot apply to both regular resources and non-resource URLs`)
  }
  for (const path of paths) {
    if (path !== '*' && !path.startsWith('/')) {
      throw new Error(`${where}.nonResourceURLs: non-resource URL rules must begin with a '/' character`)
    }
    if (path.slice(0, -1).includes('*')) {
      throw new Error(
        `${where}.nonResourceURLs: non-resource URL wildcards '*' must be the final character of the rule`,
      )
    }
  }
  return {
    level: rule.level as AuditLevel,
    users: stringsOf(rule.users, `${where}.users`),
    userGroups: stringsOf(rule.userGroups, `${where}.userGroups`),
    verbs: stringsOf(rule.verbs, `${where}.verbs`),
    resources,
    namespaces,
    nonResourceURLs: paths,
    omitStages: stagesOf(rule.omitStages, `${where}.omitStages`),
    ...(typeof rule.omitManagedFields === 'boolean' ? { omitManagedFields: rule.omitManagedFields } : {}),
  }
}

function readResources(value: unknown, where: string): GroupResources {
  const item = asRecord(value, where)
  const resources = stringsOf(item.resources, `${where}.resources`)
  const resourceNames = stringsOf(item.resourceNames, `${where}.resourceNames`)
  if (resourceNames.length > 0 && resources.length === 0) {
    throw new Error(`${where}.resourceNames: using resourceNames requires at least one resource`)
  }
  return { group: typeof item.group === 'string' ? item.group : '', resources, resourceNames }
}

function stagesOf(value: unknown, where: string): AuditStage[] {
  const stages = stringsOf(value, where)
  const wrong = stages.find((stage) => !STAGES.includes(stage as AuditStage))
  if (wrong !== undefined)
    throw new Error(`${where}: allowed stages are ${STAGES.join(',')}, not ${JSON.stringify(wrong)}`)
  return stages as AuditStage[]
}

function stringsOf(value: unknown, where: string): string[] {
  return listOf(value, where).map((item) => {
    if (typeof item !== 'string') throw new Error(`${where}: must be a list of strings`)
    return item
  })
}

function listOf(value: unknown, where: string): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new Error(`${where}: must be a list`)
  return value
}

function asRecord(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where}: must be an object`)
  return value as Record<string, unknown>
}
