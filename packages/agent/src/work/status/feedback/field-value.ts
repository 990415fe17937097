import type { FieldValue } from '@orrery/api'
import { formatGoJson } from '@orrery/kinds/values'

export interface FieldValueOptions {
  /** Whether objects, lists and fractions are reported as JSON, and paths with several results as a list. */
  readonly rawJson: boolean
  /** The limit of a JSON value, in bytes. */
  readonly maxJsonRawLength: number
}

/** The limit of a string, in bytes. A longer one is not reported: truncated, it could be mistaken for the whole. */
const MAX_STRING = 32_768

/** A value in the form of a work's status. Throws an error with the message for the condition if there is none. */
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
