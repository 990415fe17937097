import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1123Label,
  isDNS1123Subdomain,
} from '@orrery/kinds/values'
import { MANDATORY_LEVELS, MANDATORY_SCHEMAS } from '../flowcontrol/bootstrap.js'
import { type Check, named, reportFormat, required, type StructCheck, struct } from './check.js'
import { CLUSTER_WIDE, type GroupRules } from './kind.js'
import { childOf, has, numberOf, optionalNumber, structsOf, textOf, textsOf } from './read.js'

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch']
const MAX_PRECEDENCE = 10_000
const MAX_QUEUES = 10_000_000
const MAX_HASH_BITS = 60

const nameOf = (object: JsonObject) => textOf(childOf(object, 'metadata'), 'name')

/** A non-empty list in which `*` must be the only item. */
function wildcardAlone(rule: JsonObject, field: string, at: string, missing: string, others: string): FieldError[] {
  const values = textsOf(rule, field)
  if (values.length === 0) return [fieldRequired(`${at}.${field}`, missing)]
  if (values.length === 1 || !values.includes('*')) return []
  return [fieldInvalid(`${at}.${field}`, values, `if '*' is present, must not specify other ${others}`)]
}

function verbErrors(rule: JsonObject, at: string): FieldError[] {
  const errors = wildcardAlone(rule, 'verbs', at, 'verbs must contain at least one value', 'verbs')
  const verbs = textsOf(rule, 'verbs')
  if (errors.length > 0 || verbs.includes('*') || verbs.every((verb) => VERBS.includes(verb))) return errors
  return [fieldNotSupported(`${at}.verbs`, verbs, VERBS)]
}

const resourceRule: StructCheck = (rule, at, errors) => {
  errors.push(
    ...verbErrors(rule, at),
    ...wildcardAlone(rule, 'apiGroups', at, 'resource rules must supply at least one api group', 'api groups'),
    ...wildcardAlone(rule, 'resources', at, 'resource rules must supply at least one resource', 'resources'),
  )
  const namespaces = textsOf(rule, 'namespaces')
  if (namespaces.length === 0) {
    if (rule.clusterScope === true) return
    const detail = 'resource rules that are not cluster scoped must supply at least one namespace'
    errors.push(fieldRequired(`${at}.namespaces`, detail))
  } else if (namespaces.includes('*')) errors.push(...wildcardAlone(rule, 'namespaces', at, '', 'namespaces'))
  else {
    const intro = "each member of this list must be '*' or a DNS-1123 label; "
    namespaces.forEach((namespace, index) => {
      for (const message of isDNS1123Label(namespace)) {
        errors.push(fieldInvalid(indexPath(`${at}.namespaces`, index), namespace, `${intro}${message}`))
      }
    })
  }
}

function urlProblem(path: string): string | undefined {
  if (path === '') return 'must not be empty'
  if (path === '/') return undefined
  if (!path.startsWith('/')) return 'must start with slash'
  if (path.includes(' ')) return 'must not contain white-space'
  if (path.includes('//')) return 'must not contain double slash'
  const wildcards = path.split('*').length - 1
  return wildcards > 1 || (wildcards === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined
}

const nonResourceRule: StructCheck = (rule, at, errors) => {
  const missing = 'nonResourceURLs must contain at least one value'
  errors.push(...verbErrors(rule, at), ...wildcardAlone(rule, 'nonResourceURLs', at, missing, 'non-resource URLs'))
  const urls = textsOf(rule, 'nonResourceURLs')
  if (urls.includes('*')) return
  urls.forEach((url, index) => {
    const problem = urlProblem(url)
    if (problem !== undefined) errors.push(fieldInvalid(indexPath(`${at}.nonResourceURLs`, index), url, problem))
  })
}

const SUBJECTS: Readonly<Record<string, string>> = { User: 'user', Group: 'group', ServiceAccount: 'serviceAccount' }

const subject: StructCheck = (given, at, errors) => {
  const kind = textOf(given, 'kind')
  if (!Object.hasOwn(SUBJECTS, kind)) {
    errors.push(fieldNotSupported(`${at}.kind`, kind, Object.keys(SUBJECTS).sort()))
    return
  }
  for (const [other, field] of Object.entries(SUBJECTS)) {
    if (other === kind) {
      if (has(given, field)) SUBJECT_CHECKS[field]?.(childOf(given, field) ?? {}, `${at}.${field}`, errors)
      else errors.push(fieldRequired(`${at}.${field}`, `${field} is required when subject kind is '${kind}'`))
    } else if (has(given, field)) {
      errors.push(fieldForbidden(`${at}.${field}`, `${field} is forbidden when subject kind is not '${other}'`))
    }
  }
}

const accountName: Check = (value, at, errors) => {
  if (typeof value !== 'string' || value === '') errors.push(fieldRequired(at))
  else if (value !== '*') reportFormat(isDNS1123Subdomain, value, at, errors)
}

const SUBJECT_CHECKS: Readonly<Record<string, StructCheck>> = {
  user: struct({ name: required() }),
  group: struct({ name: required() }),
  serviceAccount: struct({
    name: accountName,
    namespace: named(isDNS1123Label, 'must specify namespace for service account'),
  }),
}

const policyRules: StructCheck = (rules, at, errors) => {
  const subjects = structsOf(rules, 'subjects')
  for (const [index, one] of subjects.entries()) subject(one, indexPath(`${at}.subjects`, index), errors)
  if (subjects.length === 0) errors.push(fieldRequired(`${at}.subjects`, 'subjects must contain at least one value'))
  const resources = structsOf(rules, 'resourceRules')
  const paths = structsOf(rules, 'nonResourceRules')
  if (resources.length === 0 && paths.length === 0) {
    errors.push(fieldRequired(at, 'at least one of resourceRules and nonResourceRules has to be non-empty'))
  }
  for (const [index, one] of resources.entries()) resourceRule(one, indexPath(`${at}.resourceRules`, index), errors)
  for (const [index, one] of paths.entries()) nonResourceRule(one, indexPath(`${at}.nonResourceRules`, index), errors)
}

const precedence: StructCheck = (object, _at, errors) => {
  const at = 'spec.matchingPrecedence'
  const value = numberOf(childOf(object, 'spec'), 'matchingPrecedence')
  if (value <= 0) errors.push(fieldInvalid(at, value, 'must be a positive value'))
  if (value > MAX_PRECEDENCE) errors.push(fieldInvalid(at, value, `must not be greater than ${MAX_PRECEDENCE}`))
  if (value === 1 && nameOf(object) !== 'exempt') {
    errors.push(fieldInvalid(at, value, "only the schema named 'exempt' may have matchingPrecedence 1"))
  }
}

const distinguisher: StructCheck = (method, at, errors) => {
  const type = textOf(method, 'type')
  if (type !== 'ByNamespace' && type !== 'ByUser') {
    errors.push(fieldNotSupported(`${at}.type`, type, ['ByNamespace', 'ByUser']))
  }
}

/** The mandatory objects cannot be changed. */
function fixed(mandatory: readonly { readonly metadata: { readonly name?: string }; readonly spec: object }[]) {
  const check: StructCheck = (object, _at, errors) => {
    const name = nameOf(object)
    const expected = mandatory.find(({ metadata }) => metadata.name === name)
    if (expected === undefined) return
    const isExempt = name === 'exempt' && object.kind === 'PriorityLevelConfiguration'
    const spec = childOf(object, 'spec') ?? {}
    const compared = isExempt ? { ...expected.spec, ...spec, exempt: (expected.spec as JsonObject).exempt } : spec
    if (isDeepStrictEqual(compared, expected.spec)) return
    const except = isExempt ? " except the 'spec.exempt' field" : ''
    errors.push(fieldInvalid('spec', spec, `spec of '${name}'${except} must equal the fixed value`))
  }
  return check
}

const conditions: StructCheck = (status, at, errors) => {
  const seen = new Set<string>()
  structsOf(status, 'conditions').forEach((condition, index) => {
    const type = textOf(condition, 'type')
    const path = `${indexPath(`${at}.conditions`, index)}.type`
    if (seen.has(type)) errors.push(fieldDuplicate(path, type))
    seen.add(type)
    if (type === '') errors.push(fieldRequired(path, 'must not be empty'))
  })
}

/** Returns the bits of hash that dealing a hand needs. */
function entropyBits(queues: number, handSize: number): number {
  return Math.ceil(Math.log2(queues) * handSize)
}

const queuingConfiguration: StructCheck = (queuing, at, errors) => {
  const queues = numberOf(queuing, 'queues')
  const handSize = numberOf(queuing, 'handSize')
  const length = numberOf(queuing, 'queueLengthLimit')
  if (length <= 0) errors.push(fieldInvalid(`${at}.queueLengthLimit`, length, 'must be positive'))
  if (queues <= 0) errors.push(fieldInvalid(`${at}.queues`, queues, 'must be positive'))
  else if (queues > MAX_QUEUES)
    errors.push(fieldInvalid(`${at}.queues`, queues, `must not be greater than ${MAX_QUEUES}`))
  if (handSize <= 0) errors.push(fieldInvalid(`${at}.handSize`, handSize, 'must be positive'))
  else if (handSize > queues) {
    errors.push(fieldInvalid(`${at}.handSize`, handSize, `should not be greater than queues (${queues})`))
  } else if (entropyBits(queues, handSize) > MAX_HASH_BITS) {
    const detail = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${MAX_HASH_BITS}`
    errors.push(fieldInvalid(`${at}.handSize`, handSize, detail))
  }
}

const limitResponse: StructCheck = (response, at, errors) => {
  const type = textOf(response, 'type')
  if (type === 'Reject') {
    if (!has(response, 'queuing')) return
    errors.push(fieldForbidden(`${at}.queuing`, 'must be nil if limited.limitResponse.type is not Limited'))
  } else if (type !== 'Queue') errors.push(fieldNotSupported(`${at}.type`, type, ['Queue', 'Reject']))
  else if (has(response, 'queuing')) queuingConfiguration(childOf(response, 'queuing') ?? {}, `${at}.queuing`, errors)
  else errors.push(fieldRequired(`${at}.queuing`, 'must not be empty if limited.limitResponse.type is Limited'))
}

function shareErrors(level: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = []
  const shares = numberOf(level, 'nominalConcurrencyShares')
  if (shares < 0) errors.push(fieldInvalid(`${at}.nominalConcurrencyShares`, shares, 'must be a non-negative integer'))
  return errors
}

function lendingErrors(level: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = []
  const lendable = numberOf(level, 'lendablePercent')
  if (lendable < 0 || lendable > 100) {
    errors.push(fieldInvalid(`${at}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive'))
  }
  const borrowing = optionalNumber(level, 'borrowingLimitPercent') ?? 0
  if (borrowing < 0) {
    const detail = 'if specified, must be a non-negative integer'
    errors.push(fieldInvalid(`${at}.borrowingLimitPercent`, borrowing, detail))
  }
  return errors
}

const priorityLevel: StructCheck = (object, _at, errors) => {
  const spec = childOf(object, 'spec') ?? {}
  const type = textOf(spec, 'type')
  if ((nameOf(object) === 'exempt') !== (type === 'Exempt')) {
    errors.push(fieldInvalid('spec.type', type, "must be 'Exempt' if and only if `name` is 'exempt'"))
  }
  const limited = childOf(spec, 'limited')
  const exempt = childOf(spec, 'exempt')
  if (type === 'Exempt') {
    if (limited !== undefined) errors.push(fieldForbidden('spec.limited', 'must be nil if the type is not Limited'))
    if (exempt !== undefined)
      errors.push(...shareErrors(exempt, 'spec.exempt'), ...lendingErrors(exempt, 'spec.exempt'))
  } else if (type === 'Limited') {
    if (exempt !== undefined) errors.push(fieldForbidden('spec.exempt', 'must be nil if the type is Limited'))
    if (limited === undefined) errors.push(fieldRequired('spec.limited', 'must not be empty when type is Limited'))
    else {
      errors.push(...shareErrors(limited, 'spec.limited'))
      limitResponse(childOf(limited, 'limitResponse') ?? {}, 'spec.limited.limitResponse', errors)
      errors.push(...lendingErrors(limited, 'spec.limited'))
    }
  } else if (type === '') errors.push(fieldRequired('spec.type'))
  else errors.push(fieldNotSupported('spec.type', type, ['Exempt', 'Limited']))
}

export const flowControlGroup: GroupRules = {
  FlowSchema: {
    ...CLUSTER_WIDE,
    valid: struct({
      '. precedence': precedence,
      'spec.distinguisherMethod?': distinguisher,
      'spec.priorityLevelConfiguration.name': named(isDNS1123Subdomain, 'must reference a priority level'),
      'spec.rules[]': policyRules,
      '. fixed': fixed(MANDATORY_SCHEMAS),
      status: conditions,
    }),
  },
  PriorityLevelConfiguration: {
    ...CLUSTER_WIDE,
    valid: struct({ '. level': priorityLevel, '. fixed': fixed(MANDATORY_LEVELS), status: conditions }),
  },
}
