import type { JsonObject } from '@orrery/kinds'
import {
  addQuantity,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  formatQuantity,
  indexPath,
  quantityAtScale,
} from '@orrery/kinds/values'
import { compare, quantity, shown } from '../quantities.js'
import { childOf, has, listOf, type Value } from '../read.js'
import { checkSet, textKey } from './lists.js'

const MAX_VALID_VALUES = 10
const NOT_DEFAULT = 'default value is not valid according to the requestPolicy'
const TWO_POLICIES =
  'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time'

/** Validates how much of a shared capacity one claim can request. */
export function checkRequestPolicy(most: Value, policy: JsonObject, at: string, errors: FieldError[]): void {
  const range = childOf(policy, 'validRange')
  const hasValues = listOf(policy, 'validValues').length > 0
  if (hasValues && range !== undefined) return void errors.push(fieldForbidden(at, TWO_POLICIES))
  if (!hasValues && range === undefined) return
  if (!has(policy, 'default')) {
    const which = hasValues ? 'validValues' : 'validRange'
    return void errors.push(fieldRequired(`${at}.default`, `required when ${which} is defined`))
  }
  if (hasValues) checkValues(most, policy, at, errors)
  else if (range !== undefined) checkRange(most, policy.default, range, `${at}.validRange`, errors)
}

function checkValues(most: Value, policy: JsonObject, at: string, errors: FieldError[]): void {
  const values = listOf(policy, 'validValues')
  const path = `${at}.validValues`
  for (const [index, value] of values.entries()) {
    if (index === 0 || compare(values[index - 1], value) <= 0) continue
    errors.push(fieldInvalid(indexPath(path, index), shown(value), 'values must be sorted in ascending order'))
  }
  const within = (value: Value, where: string, found: FieldError[]) => {
    const detail = `option is larger than capacity value: ${shown(most)}`
    if (compare(value, most) > 0) found.push(fieldInvalid(where, shown(value), detail))
  }
  checkSet(policy, 'validValues', at, MAX_VALID_VALUES, within, textKey, errors)
  if (values.some((value) => compare(value, policy.default) === 0)) return
  errors.push(fieldInvalid(path, shown(policy.default), NOT_DEFAULT))
}

function checkRange(most: Value, standard: Value, range: JsonObject, at: string, errors: FieldError[]): void {
  const { min, max, step } = range
  const report = (field: string, value: Value, detail: string) =>
    errors.push(fieldInvalid(`${at}.${field}`, shown(value), detail))
  if (!has(range, 'min')) return void errors.push(fieldRequired(`${at}.min`, 'required when validRange is defined'))
  if (compare(min, most) > 0) report('min', min, `min is larger than capacity value: ${shown(most)}`)
  if (compare(standard, min) < 0) report('min', standard, `default is less than min: ${shown(min)}`)
  if (has(range, 'max')) {
    if (compare(min, max) > 0) report('max', min, `min is larger than max: ${shown(max)}`)
    if (compare(max, most) > 0) report('max', max, `max is larger than capacity value: ${shown(most)}`)
    if (compare(standard, max) > 0) report('max', standard, `default is more than max: ${shown(max)}`)
  }
  if (!has(range, 'step')) return
  const next = addQuantity(quantity(min), quantity(step))
  const first = formatQuantity(next)
  if (compare(first, most) > 0) report('step', step, `one step ${first} is larger than capacity value: ${shown(most)}`)
  for (const value of has(range, 'max') ? [standard, max] : [standard]) {
    if (isWholeSteps(value, min, step)) continue
    report('step', value, `value is not a multiple of a given step (${shown(step)}) from (${shown(min)})`)
  }
}

/**
 * Returns whether the distance of two amounts is a multiple of the step, in units rounded up like Go's
 * `Quantity.Value`.
 */
function isWholeSteps(value: Value, from: Value, step: Value): boolean {
  const units = (amount: Value) => quantityAtScale(quantity(amount), 0)
  return units(step) !== 0n && (units(value) - units(from)) % units(step) === 0n
}
