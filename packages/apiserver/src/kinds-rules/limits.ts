import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isQualifiedName,
  keyPath,
  quantityToNumber,
} from '@orrery/kinds/values'
import type { ObjectChange } from './change.js'
import { IMMUTABLE, reportFormat, type StructCheck, struct } from './check.js'
import { type KindRules, NAMESPACED } from './kind.js'
import {
  checkAmount,
  checkContainerResourceName,
  checkQuotaResourceName,
  checkResourceName,
  compare,
  isOvercommitAllowed,
  isStandardQuotaResource,
  quantity,
  shown,
} from './quantities.js'
import { childOf, entriesOf, entryOf, has, structsOf, textOf, textsOf } from './read.js'

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim']
const LIMIT_FIELDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio']

const limitItem: StructCheck = (limit, at, errors) => {
  const type = textOf(limit, 'type')
  const names = new Set<string>()
  for (const field of LIMIT_FIELDS) {
    if (type === 'Pod' && field.startsWith('default')) {
      if (entriesOf(limit, field).length > 0) {
        errors.push(fieldForbidden(`${at}.${field}`, "may not be specified when `type` is 'Pod'"))
      }
      continue
    }
    if (field === 'maxLimitRequestRatio' && type === 'PersistentVolumeClaim') checkClaimLimit(limit, at, errors)
    for (const [name] of entriesOf(limit, field)) {
      names.add(name)
      const check = type === 'Pod' || type === 'Container' ? checkContainerResourceName : checkResourceName
      check(name, keyPath(`${at}.${field}`, name), errors)
    }
  }
  for (const name of names) checkOrder(limit, name, at, errors)
}

function checkClaimLimit(limit: JsonObject, at: string, errors: FieldError[]): void {
  if (has(childOf(limit, 'min'), 'storage') || has(childOf(limit, 'max'), 'storage')) return
  const detail = 'either minimum or maximum storage value is required, but neither was provided'
  errors.push(fieldRequired(`${at}.limits`, detail))
}

/** Requires min ≤ default request ≤ default ≤ max, and a ratio within the bounds. */
function checkOrder(limit: JsonObject, name: string, at: string, errors: FieldError[]): void {
  const of = (field: string) => entryOf(limit[field], name)
  const [min, max, byDefault, request, ratio] = [
    of('min'),
    of('max'),
    of('default'),
    of('defaultRequest'),
    of('maxLimitRequestRatio'),
  ]
  const report = (field: string, value: typeof min, detail: string) =>
    errors.push(fieldInvalid(keyPath(`${at}.${field}`, name), shown(value), detail))
  const above = (a: typeof min, b: typeof min) => a !== undefined && b !== undefined && compare(a, b) > 0
  if (above(min, max)) report('min', min, `min value ${shown(min)} is greater than max value ${shown(max)}`)
  if (above(min, request)) {
    report('defaultRequest', request, `min value ${shown(min)} is greater than default request value ${shown(request)}`)
  }
  if (above(request, max)) {
    report('defaultRequest', request, `default request value ${shown(request)} is greater than max value ${shown(max)}`)
  }
  if (above(request, byDefault)) {
    const detail = `default request value ${shown(request)} is greater than default limit value ${shown(byDefault)}`
    report('defaultRequest', request, detail)
  }
  if (above(min, byDefault))
    report('default', min, `min value ${shown(min)} is greater than default value ${shown(byDefault)}`)
  if (above(byDefault, max))
    report('default', max, `default value ${shown(byDefault)} is greater than max value ${shown(max)}`)
  if (ratio !== undefined && compare(ratio, '1') < 0) {
    report('maxLimitRequestRatio', ratio, `ratio ${shown(ratio)} is less than 1`)
  }
  if (ratio !== undefined && min !== undefined && max !== undefined) {
    const most = quantityToNumber(quantity(max)) / quantityToNumber(quantity(min))
    if (quantityToNumber(quantity(ratio)) > most) {
      report('maxLimitRequestRatio', ratio, `ratio ${shown(ratio)} is greater than max/min = ${most.toFixed(6)}`)
    }
  }
  if (
    !isOvercommitAllowed(name) &&
    byDefault !== undefined &&
    request !== undefined &&
    compare(byDefault, request) !== 0
  ) {
    const detail = `default value ${shown(byDefault)} must equal to defaultRequest value ${shown(request)} in ${name}`
    report('defaultRequest', request, detail)
  }
}

const limits: StructCheck = (spec, at, errors) => {
  const types = new Set<string>()
  for (const [i, limit] of structsOf(spec, 'limits').entries()) {
    const path = indexPath(`${at}.limits`, i)
    const type = textOf(limit, 'type')
    const before = errors.length
    reportFormat(isQualifiedName, type, `${path}.type`, errors)
    if (errors.length === before && !type.includes('/') && !LIMIT_TYPES.includes(type)) {
      errors.push(fieldInvalid(`${path}.type`, type, 'must be a standard limit type or fully qualified'))
    }
    if (types.has(type)) errors.push(fieldDuplicate(`${path}.type`, type))
    types.add(type)
    limitItem(limit, path, errors)
  }
}

export const limitRangeRules: KindRules = { ...NAMESPACED, valid: struct({ spec: limits }) }

const POD_SCOPES = ['Terminating', 'NotTerminating', 'BestEffort', 'NotBestEffort', 'CrossNamespacePodAffinity']
const SCOPES = [...POD_SCOPES, 'PriorityClass', 'VolumeAttributesClass']
const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory']
const OPPOSITES = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const

function appliesTo(scope: string, resource: string): boolean {
  if (scope === 'BestEffort') return resource === 'pods'
  if (scope === 'VolumeAttributesClass') return ['persistentvolumeclaims', 'requests.storage'].includes(resource)
  return !SCOPES.includes(scope) || resource === 'pods' || COMPUTE.includes(resource)
}

function amounts(list: string): StructCheck {
  return (holder, at, errors) => {
    for (const [name, value] of entriesOf(holder, list)) {
      const path = keyPath(`${at}.${list}`, name)
      checkQuotaResourceName(name, path, errors)
      checkAmount(name, value, path, errors)
    }
  }
}

const scopes: StructCheck = (spec, at, errors) => {
  const list = textsOf(spec, 'scopes')
  const report = (detail: string) => errors.push(fieldInvalid(`${at}.scopes`, list, detail))
  const hard = entriesOf(spec, 'hard').map(([name]) => name)
  for (const scope of list) {
    if (!SCOPES.includes(scope)) report('unsupported scope')
    for (const name of hard) {
      if (isStandardQuotaResource(name) && !appliesTo(scope, name)) report('unsupported scope applied to resource')
    }
  }
  for (const pair of OPPOSITES) if (pair.every((scope) => list.includes(scope))) report('conflicting scopes')
}

const scopeSelector: StructCheck = (spec, at, errors) => {
  const selector = childOf(spec, 'scopeSelector')
  const path = `${at}.scopeSelector.matchExpressions`
  const hard = entriesOf(spec, 'hard').map(([name]) => name)
  const seen: string[] = []
  for (const requirement of structsOf(selector, 'matchExpressions')) {
    const scope = textOf(requirement, 'scopeName')
    const operator = textOf(requirement, 'operator')
    const values = textsOf(requirement, 'values')
    seen.push(scope)
    if (!SCOPES.includes(scope)) errors.push(fieldInvalid(`${path}.scopeName`, scope, 'unsupported scope'))
    for (const name of hard) {
      if (!isStandardQuotaResource(name) || appliesTo(scope, name)) continue
      errors.push(fieldInvalid(path, selector, 'unsupported scope applied to resource'))
    }
    if (POD_SCOPES.includes(scope) && operator !== 'Exists') {
      const detail =
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
      errors.push(fieldInvalid(`${path}.operator`, operator, detail))
    }
    if (operator === 'In' || operator === 'NotIn') {
      if (values.length > 0) continue
      const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
      errors.push(fieldRequired(`${path}.values`, detail))
    } else if (operator === 'Exists' || operator === 'DoesNotExist') {
      if (values.length === 0) continue
      const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
      errors.push(fieldInvalid(`${path}.values`, values, detail))
    } else errors.push(fieldInvalid(`${path}.operator`, operator, 'not a valid selector operator'))
  }
  for (const pair of OPPOSITES) {
    if (pair.every((scope) => seen.includes(scope)))
      errors.push(fieldInvalid(path, textsOf(spec, 'scopes'), 'conflicting scopes'))
  }
}

const scopesKept: ObjectChange = (quota, old, errors) => {
  const now = new Set(textsOf(childOf(quota, 'spec'), 'scopes'))
  const was = new Set(textsOf(childOf(old, 'spec'), 'scopes'))
  if (now.size === was.size && [...now].every((scope) => was.has(scope))) return
  errors.push(fieldInvalid('spec.scopes', [...now], IMMUTABLE))
}

const quotaStatus = struct({ status: [amounts('hard'), amounts('used')] })

export const resourceQuotaRules: KindRules = {
  ...NAMESPACED,
  valid: struct({ spec: [amounts('hard'), scopes, scopeSelector] }),
  onUpdate: { '': scopesKept, status: (quota, _old, errors) => quotaStatus(quota, '', errors) },
}
