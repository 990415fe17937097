import type { JsonValue } from '@orrery/kinds'
import { compileRegex, type Regex } from '../regex/regex.js'
import type { JsonSchema } from './json-schema.js'

const TWO_TO_63 = 2 ** 63
const FLOAT32_MAX = 3.4028234663852886e38

/** `pattern`, compiled when the first text is tested: most patterns of a definition are never used. */
export class Pattern {
  readonly source: string
  #regex: Regex | undefined

  constructor(source: string) {
    this.source = source
  }

  /** Throws `RegexError` if the source is not a regular expression. */
  test(text: string): boolean {
    this.#regex ??= compileRegex(this.source)
    return this.#regex.test(text)
  }
}

/** `maxLength`, `minLength` and `pattern`. */
export interface TextLimits {
  readonly maxLength: number
  readonly minLength: number
  readonly pattern: Pattern | undefined
}

/** Limits of a number of items or properties. */
export interface CountLimits {
  readonly maximum: number
  readonly minimum: number
}

/** `enum`. */
export interface Choices {
  readonly values: readonly JsonValue[]
  /** The same values, if all of them can be looked up. */
  readonly plain: ReadonlySet<JsonValue> | undefined
}

/** The limits of a number and the range of its type. */
export interface NumberBounds {
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly multipleOf: number | undefined
  /** `integer` or `number` if the schema has exactly that type: then the range of the format applies. */
  readonly type: string
  /** Whether the limits are in that range; limits that are not accept no value. */
  readonly limitsFit: boolean
}

export function textLimits({ maxLength, minLength, pattern }: JsonSchema): TextLimits | undefined {
  if (maxLength === undefined && !minLength && !pattern) return undefined
  return {
    maxLength: maxLength ?? Number.POSITIVE_INFINITY,
    minLength: minLength ?? 0,
    pattern: pattern ? new Pattern(pattern) : undefined,
  }
}

export function countLimits(minimum: number | undefined, maximum: number | undefined): CountLimits | undefined {
  if (maximum === undefined && !minimum) return undefined
  return { maximum: maximum ?? Number.POSITIVE_INFINITY, minimum: minimum ?? 0 }
}

export function choicesOf({ enum: values }: JsonSchema): Choices | undefined {
  if (values === undefined || values.length === 0) return undefined
  const isPlain = values.every((choice) => typeof choice !== 'object' || choice === null)
  return { values, plain: isPlain ? new Set(values) : undefined }
}

export function numberBounds(schema: JsonSchema, types: readonly string[], format: string): NumberBounds | undefined {
  const type = types.length === 1 && (types[0] === 'integer' || types[0] === 'number') ? (types[0] as string) : ''
  const bounded = schema.maximum !== undefined || schema.minimum !== undefined || schema.multipleOf !== undefined
  if (type === '' && !bounded) return undefined
  const limits = [schema.maximum, schema.minimum, schema.multipleOf]
  return {
    maximum: schema.maximum,
    exclusiveMaximum: schema.exclusiveMaximum === true,
    minimum: schema.minimum,
    exclusiveMinimum: schema.exclusiveMinimum === true,
    multipleOf: schema.multipleOf,
    type,
    limitsFit: limits.every((limit) => limit === undefined || fitsRange(limit, type, format)),
  }
}

/** An integer within 64 bits; one written as `1.0` counts. */
export function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -TWO_TO_63 && value < TWO_TO_63
}

/** Whether a number is in the range of its type and format. */
export function fitsRange(value: number, type: string, format: string): boolean {
  if (type === 'integer') {
    if (!isInteger(value)) return false
    return format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31)
  }
  return type !== 'number' || format !== 'float' || Math.abs(value) <= FLOAT32_MAX
}
