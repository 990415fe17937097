import {
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  indexPath,
  isDNS1123Subdomain,
  isLabelValue,
  isQualifiedName,
} from '@orrery/kinds/values'
import { formatted, reportFormat, type StructCheck, struct } from './check.js'
import { structsOf, textOf, textsOf } from './read.js'

const qualified = formatted(isQualifiedName)

const nodeRequirement: StructCheck = (requirement, at, errors) => {
  const values = textsOf(requirement, 'values')
  switch (textOf(requirement, 'operator')) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) break
      errors.push(fieldRequired(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
      break
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) break
      errors.push(fieldForbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
      break
    case 'Gt':
    case 'Lt':
      if (values.length === 1) break
      errors.push(fieldRequired(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
      break
    default:
      errors.push(fieldInvalid(`${at}.operator`, textOf(requirement, 'operator'), 'not a valid selector operator'))
  }
  qualified(requirement.key, `${at}.key`, errors)
}

const nodeFieldRequirement: StructCheck = (requirement, at, errors) => {
  const operator = textOf(requirement, 'operator')
  const values = textsOf(requirement, 'values')
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(fieldInvalid(`${at}.operator`, operator, 'not a valid selector operator'))
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
    errors.push(fieldRequired(`${at}.values`, detail))
  }
  if (requirement.key !== 'metadata.name') {
    return void errors.push(fieldInvalid(`${at}.key`, textOf(requirement, 'key'), 'not a valid field selector key'))
  }
  for (const [i, name] of values.entries()) reportFormat(isDNS1123Subdomain, name, indexPath(`${at}.values`, i), errors)
}

/** A preferred node selector: label values are not validated. */
export const nodeTerm = struct({ 'matchExpressions[]': nodeRequirement, 'matchFields[]': nodeFieldRequirement })

/** A required node selector: label values must be valid too. */
export const nodeSelector: StructCheck = (selector, at, errors) => {
  const terms = structsOf(selector, 'nodeSelectorTerms')
  const path = `${at}.nodeSelectorTerms`
  if (terms.length === 0) errors.push(fieldRequired(path, 'must have at least one node selector term'))
  for (const [i, term] of terms.entries()) {
    nodeTerm(term, indexPath(path, i), errors)
    for (const [j, requirement] of structsOf(term, 'matchExpressions').entries()) {
      const values = `${indexPath(`${indexPath(path, i)}.matchExpressions`, j)}.values`
      for (const [k, value] of textsOf(requirement, 'values').entries()) {
        reportFormat(isLabelValue, value, indexPath(values, k), errors)
      }
    }
  }
}
