import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import { reportFormat, type StructCheck, struct } from './check.js'
import { CLUSTER_WIDE, type GroupRules, NAMESPACED } from './kind.js'
import { childOf, has, isUnset, listOf, numberOf, structsOf, textOf, textsOf } from './read.js'
import { checkTokenSeconds } from './token-seconds.js'

const ONE_OF = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'

const attributes: StructCheck = (spec, at, errors) => {
  const onPath = childOf(spec, 'nonResourceAttributes')
  if (!has(spec, 'resourceAttributes')) {
    if (onPath === undefined) errors.push(fieldInvalid(`${at}.resourceAttributes`, null, ONE_OF))
  } else if (onPath !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes'
    errors.push(fieldInvalid(`${at}.nonResourceAttributes`, shownPath(onPath), detail))
  }
}

/** Printed as kube-apiserver's internal type, whose fields have no JSON names. */
function shownPath(attributes: JsonObject): unknown {
  return { Path: textOf(attributes, 'path'), Verb: textOf(attributes, 'verb') }
}

const subject: StructCheck = (spec, at, errors) => {
  if (textOf(spec, 'user') === '' && listOf(spec, 'groups').length === 0) {
    errors.push(fieldInvalid(`${at}.user`, '', 'at least one of user or group must be specified'))
  }
}

const selectors: StructCheck = (spec, _at, errors) => {
  const resource = childOf(spec, 'resourceAttributes')
  for (const name of ['fieldSelector', 'labelSelector']) {
    const selector = childOf(resource, name)
    if (selector !== undefined) checkSelector(selector, name, `spec.resourceAttributes.${name}`, errors)
  }
}

function checkSelector(selector: JsonObject, name: string, at: string, errors: FieldError[]): void {
  const raw = textOf(selector, 'rawSelector')
  const requirements = structsOf(selector, 'requirements')
  if (raw !== '' && requirements.length > 0) {
    errors.push(fieldInvalid(`${at}.rawSelector`, raw, 'may not specified at the same time as requirements'))
  }
  if (raw === '' && requirements.length === 0) {
    const detail = `when ${at} is specified, requirements or rawSelector is required`
    errors.push(fieldRequired(`${at}.requirements`, detail))
  }
  for (const [i, requirement] of requirements.entries()) {
    const path = indexPath(`${at}.requirements`, i)
    const values = textsOf(requirement, 'values')
    const operator = textOf(requirement, 'operator')
    if ((operator === 'In' || operator === 'NotIn') && values.length === 0) {
      errors.push(fieldRequired(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
    }
    if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
      errors.push(fieldForbidden(`${path}.values`, detail))
    }
    const key = textOf(requirement, 'key')
    if (name === 'labelSelector') {
      reportFormat(isQualifiedName, key, `${path}.key`, errors)
      for (const [j, value] of values.entries())
        reportFormat(isLabelValue, value, indexPath(`${path}.values`, j), errors)
    } else if (key === '') errors.push(fieldRequired(`${path}.key`, 'must be specified'))
  }
}

function emptyMetadata(detail: string, ...allowed: readonly string[]): StructCheck {
  return (review, _at, errors) => {
    const meta = childOf(review, 'metadata') ?? {}
    const set = Object.keys(meta).filter((name) => !isUnset(meta[name]) && !allowed.includes(name))
    if (set.length > 0) errors.push(fieldInvalid('metadata', meta, detail))
  }
}

const noMetadata = emptyMetadata('must be empty', 'managedFields', 'creationTimestamp')

const local: StructCheck = (review, _at, errors) => {
  const spec = childOf(review, 'spec')
  const namespace = textOf(childOf(review, 'metadata'), 'namespace')
  const resource = childOf(spec, 'resourceAttributes')
  if (resource !== undefined && textOf(resource, 'namespace') !== namespace) {
    const path = 'spec.resourceAttributes.namespace'
    errors.push(fieldInvalid(path, textOf(resource, 'namespace'), 'must match metadata.namespace'))
  }
  const onPath = childOf(spec, 'nonResourceAttributes')
  if (onPath !== undefined) {
    const detail = 'disallowed on this kind of request'
    errors.push(fieldInvalid('spec.nonResourceAttributes', shownPath(onPath), detail))
  }
}

export const authorizationGroup: GroupRules = {
  LocalSubjectAccessReview: {
    ...NAMESPACED,
    withoutMetadata: true,
    valid: struct({
      spec: [attributes, subject, selectors],
      '. metadata': emptyMetadata(
        'must be empty except for namespace',
        'namespace',
        'managedFields',
        'creationTimestamp',
      ),
      '. local': local,
    }),
  },
  SelfSubjectAccessReview: {
    ...CLUSTER_WIDE,
    withoutMetadata: true,
    valid: struct({ spec: [attributes, selectors], '. metadata': noMetadata }),
  },
  SelfSubjectRulesReview: { ...CLUSTER_WIDE, withoutMetadata: true },
  SubjectAccessReview: {
    ...CLUSTER_WIDE,
    withoutMetadata: true,
    valid: struct({ spec: [attributes, subject, selectors], '. metadata': noMetadata }),
  },
}

export const authenticationGroup: GroupRules = {
  SelfSubjectReview: { ...CLUSTER_WIDE, withoutMetadata: true },
  TokenRequest: {
    ...NAMESPACED,
    withoutMetadata: true,
    valid: (request, _at, errors) =>
      checkTokenSeconds(numberOf(childOf(request, 'spec'), 'expirationSeconds'), 'spec.expirationSeconds', errors),
  },
  TokenReview: { ...CLUSTER_WIDE, withoutMetadata: true },
}
