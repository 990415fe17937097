import type { FieldValue } from '@orrery/api'
import { formatGoJson } from '@orrery/kinds/values'

export interface FieldValueOptions {
  /** Whether objects, lists and fractions are reported as JSON, and paths with several results as a list. */
  readonly rawJson: boolean
  /** How many bytes of JSON a value may have. */
  readonly maxJsonRawLength: number
}

/** How many bytes a text may have: cut short it could be taken for the whole, so what is longer is not reported. */
export const MAX_STRING = 32_768

/** A value as the status of a work holds it. Throws what people are told when it cannot. */
export function fieldValueOf(name: string, value: unknown, options: FieldValueOptions): FieldValue {
  if (typeof value === 'string') {
    if (Buffer.byteLength(value) > MAX_STRING) {
      throw new Error(`the length of returned string for name ${name} is larger than the maximum length ${MAX_STRING}`)
    }
    return { type: 'String', string: value }
  }
  if (typeof value === 'boolean') return { type: 'Boolean', boolean: value }
  if (isInt64(value)) return { type: 'Integer', integer: value }
  if (!options.rawJson) throw new Error(`the type ${goTypeOf(value)} of the value for ${name} is not found`)
  const jsonRaw = formatGoJson(value)
  if (Buffer.byteLength(jsonRaw) > options.maxJsonRawLength) {
    throw new Error(
      `the length of returned json raw string for name ${name} is larger than the maximum length ${options.maxJsonRawLength}`,
    )
  }
  return { type: 'JsonRaw', jsonRaw }
}

function isInt64(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}

function goTypeOf(value: unknown): string {
  if (typeof value === 'number') return 'float64'
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
}
