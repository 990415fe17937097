import type { JsonValue } from '@orrery/kinds'
import { codePointCount, jsonEqual } from '@orrery/kinds/values'
import type { NumberBounds, ValueSchema } from './value-schema.js'

const TWO_TO_63 = 2 ** 63
const FLOAT32_MAX = 3.4028234663852886e38

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

/** An integer within 64 bits; one written as `1.0` counts. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -TWO_TO_63 && value < TWO_TO_63
}

/** Whether the type is one of the types: an integer is a number as well. */
export function hasType(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}

/** Whether a number is in the range of its type and format. */
export function fitsRange(value: number, type: string, format: string): boolean {
  if (type === 'integer') {
    if (!isInteger(value)) return false
    return format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31)
  }
  return type !== 'number' || format !== 'float' || Math.abs(value) <= FLOAT32_MAX
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
export function isChoice(value: JsonValue, schema: ValueSchema): boolean {
  if (schema.choices === undefined) return true
  if (value === null) return false
  if (schema.plainChoices !== undefined) return schema.plainChoices.has(value)
  return schema.choices.some((choice) => jsonEqual(choice, value))
}

/** The first failing keyword of a string, or undefined. The length is only counted if the bytes do not decide. */
export function textProblem(text: string, schema: ValueSchema): 'maxLength' | 'minLength' | 'pattern' | undefined {
  if (text.length > schema.maxLength && codePointCount(text) > schema.maxLength) return 'maxLength'
  if (schema.minLength > 0 && codePointCount(text) < schema.minLength) return 'minLength'
  if (schema.pattern && !schema.pattern.regex.test(text)) return 'pattern'
  return undefined
}
