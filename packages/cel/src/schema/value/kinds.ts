import type { JsonValue } from '@orrery/kinds'
import { codePointCount, jsonEqual } from '@orrery/kinds/values'
import { isInteger, type NumberBounds, type TextLimits } from '../keywords.js'
import type { SchemaNode } from '../schema-tree.js'

/** The JSON schema type of a value that is not null. */
export function typeOf(value: Exclude<JsonValue, null>): string {
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'boolean':
      return 'boolean'
    case 'number':
      return isInteger(value) ? 'integer' : 'number'
    default:
      return Array.isArray(value) ? 'array' : 'object'
  }
}

/** Whether the type is one of the types: an integer is a number as well. */
export function hasType(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

export function exceeds(value: number, bounds: NumberBounds): boolean {
  const { maximum } = bounds
  return maximum !== undefined && (bounds.exclusiveMaximum ? value >= maximum : value > maximum)
}

export function fallsShort(value: number, bounds: NumberBounds): boolean {
  const { minimum } = bounds
  return minimum !== undefined && (bounds.exclusiveMinimum ? value <= minimum : value < minimum)
}

/** Multiples are checked with a tolerance, since factors such as 0.1 have no exact binary form. */
export function isMultiple(value: number, factor: number): boolean {
  if (factor <= 0) return false
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  const nearest = Math.round(quotient)
  return quotient === nearest || Math.abs(quotient - nearest) / (Math.abs(quotient) + Math.abs(nearest)) < 1e-9
}

/** Null is never a choice, even if it is listed. */
export function isChoice(value: JsonValue, { choices }: SchemaNode): boolean {
  if (choices === undefined) return true
  if (value === null) return false
  if (choices.plain !== undefined) return choices.plain.has(value)
  return choices.values.some((choice) => jsonEqual(choice, value))
}

/** The first failing keyword of a string, or undefined. The length is only counted if the bytes do not decide. */
export function textProblem(text: string, limits: TextLimits): 'maxLength' | 'minLength' | 'pattern' | undefined {
  if (text.length > limits.maxLength && codePointCount(text) > limits.maxLength) return 'maxLength'
  if (limits.minLength > 0 && codePointCount(text) < limits.minLength) return 'minLength'
  if (limits.pattern !== undefined && !limits.pattern.test(text)) return 'pattern'
  return undefined
}
