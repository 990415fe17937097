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
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import { between, formatted, positive, reportFormat, type StructCheck, strictlyOneOf, struct } from '../check.js'
import { labelSelector } from '../labels.js'
import { nodeSelector, nodeTerm } from '../node-selector.js'
import { childOf, has, structsOf, textOf, textsOf } from '../read.js'

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
const weight = between(1, 100, 'must be in the range 1-100')
const qualified = formatted(isQualifiedName)

/** The effect of a taint; optional in tolerations. */
export function checkTaintEffect(effect: string, at: string, errors: FieldError[]): void {
  if (effect === '') errors.push(fieldRequired(at))
  else if (!EFFECTS.includes(effect)) errors.push(fieldNotSupported(at, effect, EFFECTS))
}

/** One toleration of a pod. */
export const toleration: StructCheck = (value, at, errors) => {
  const key = textOf(value, 'key')
  const operator = textOf(value, 'operator')
  const effect = textOf(value, 'effect')
  const text = textOf(value, 'value')
  if (key !== '') reportFormat(isQualifiedName, key, `${at}.key`, errors)
  else if (operator !== 'Exists') {
    const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
    errors.push(fieldInvalid(`${at}.operator`, operator, detail))
  }
  if (has(value, 'tolerationSeconds') && effect !== 'NoExecute') {
    errors.push(fieldInvalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
  }
  if (operator === 'Equal' || operator === '') {
    const problems = isLabelValue(text)
    if (problems.length > 0) errors.push(fieldInvalid(`${at}.operator`, text, problems.join(';')))
  } else if (operator === 'Exists') {
    if (text !== '') {
      errors.push(fieldInvalid(`${at}.operator`, text, "value must be empty when `operator` is 'Exists'"))
    }
  } else errors.push(fieldNotSupported(`${at}.operator`, operator, ['Equal', 'Exists']))
  if (effect !== '') checkTaintEffect(effect, `${at}.effect`, errors)
}

const podTerm: StructCheck = struct({
  'labelSelector?': labelSelector,
  'namespaceSelector?': labelSelector,
  '. namespaces': (term: JsonObject, at: string, errors: FieldError[]) => {
    for (const name of textsOf(term, 'namespaces')) reportFormat(isDNS1123Label, name, `${at}.namespace`, errors)
    checkLabelKeys(term, 'matchLabelKeys', at, errors)
    checkLabelKeys(term, 'mismatchLabelKeys', at, errors)
    const unwanted = new Set(textsOf(term, 'mismatchLabelKeys'))
    for (const [i, key] of textsOf(term, 'matchLabelKeys').entries()) {
      if (!unwanted.has(key)) continue
      const detail = 'exists in both matchLabelKeys and mismatchLabelKeys'
      errors.push(fieldInvalid(indexPath(`${at}.matchLabelKeys`, i), key, detail))
    }
    if (textOf(term, 'topologyKey') === '') errors.push(fieldRequired(`${at}.topologyKey`, 'can not be empty'))
  },
  topologyKey: qualified,
})

function checkLabelKeys(term: JsonObject, name: string, at: string, errors: FieldError[]): void {
  const keys = textsOf(term, name)
  if (keys.length > 0 && childOf(term, 'labelSelector') === undefined) {
    return void errors.push(fieldForbidden(`${at}.${name}`, 'must not be specified when labelSelector is not set'))
  }
  for (const [i, key] of keys.entries()) reportFormat(isQualifiedName, key, indexPath(`${at}.${name}`, i), errors)
}

const podAffinity = struct({
  'requiredDuringSchedulingIgnoredDuringExecution[]': podTerm,
  'preferredDuringSchedulingIgnoredDuringExecution[].weight': weight,
  'preferredDuringSchedulingIgnoredDuringExecution[].podAffinityTerm': podTerm,
})

/** `affinity` of a pod. */
export const affinity: StructCheck = struct({
  'nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?': nodeSelector,
  'nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution[].weight': weight,
  'nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution[].preference': nodeTerm,
  'podAffinity?': podAffinity,
  'podAntiAffinity?': podAffinity,
})

const nodePolicy = strictlyOneOf('Honor', 'Ignore')

const spreadConstraint: StructCheck = struct({
  maxSkew: positive,
  '. topologyKey': (constraint: JsonObject, at: string, errors: FieldError[]) => {
    if (textOf(constraint, 'topologyKey') === '') errors.push(fieldRequired(`${at}.topologyKey`, 'can not be empty'))
  },
  whenUnsatisfiable: strictlyOneOf('DoNotSchedule', 'ScheduleAnyway'),
})

const spreadDetails: StructCheck = struct({
  '. minDomains': (constraint: JsonObject, at: string, errors: FieldError[]) => {
    if (!has(constraint, 'minDomains')) return
    positive(constraint.minDomains, `${at}.minDomains`, errors)
    const action = textOf(constraint, 'whenUnsatisfiable')
    if (action === 'DoNotSchedule') return
    const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
    errors.push(fieldInvalid(`${at}.minDomains`, constraint.minDomains, detail))
  },
  'nodeAffinityPolicy?': nodePolicy,
  'nodeTaintsPolicy?': nodePolicy,
  '. matchLabelKeys': (constraint: JsonObject, at: string, errors: FieldError[]) =>
    checkLabelKeys(constraint, 'matchLabelKeys', at, errors),
  'labelSelector?': labelSelector,
})

/** `topologySpreadConstraints` of a pod: each valid, unique by topology key and action. */
export function checkSpread(spec: JsonObject, at: string, errors: FieldError[]): void {
  const constraints = structsOf(spec, 'topologySpreadConstraints')
  const kindOf = (constraint: JsonObject) =>
    `{${textOf(constraint, 'topologyKey')}, ${textOf(constraint, 'whenUnsatisfiable')}}`
  const last = new Map(constraints.map((constraint, i) => [kindOf(constraint), i]))
  for (const [i, constraint] of constraints.entries()) {
    const path = indexPath(at, i)
    spreadConstraint(constraint, path, errors)
    const kind = kindOf(constraint)
    if ((last.get(kind) ?? i) > i) {
      errors.push(fieldDuplicate(`${path}.{topologyKey, whenUnsatisfiable}`, kind))
    }
    spreadDetails(constraint, path, errors)
  }
}
