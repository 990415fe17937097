import type { JsonValue } from '@orrery/kinds'
import { compileRegex, type Regex } from '../../regex/regex.js'
import { enforcedFormat, stringFormatCheck } from '../formats.js'
import { additionalOf, itemsOf, type JsonSchema } from '../json-schema.js'
import { fitsRange } from './kinds.js'

/** A compiled schema: keywords looked up, patterns compiled. */
export interface ValueSchema {
  /** Empty for any type; two for int-or-string. */
  readonly types: readonly string[]
  readonly nullable: boolean
  readonly format: string
  readonly formatCheck: ((text: string) => boolean) | undefined
  readonly maxLength: number
  readonly minLength: number
  readonly pattern: { readonly source: string; readonly regex: Regex } | undefined
  readonly number: NumberBounds | undefined
  readonly items: ValueSchema | undefined
  readonly maxItems: number
  readonly minItems: number
  readonly properties: ReadonlyMap<string, ValueSchema>
  readonly additional: ValueSchema | undefined
  /** `additionalProperties: false`. */
  readonly closed: boolean
  readonly required: readonly string[]
  readonly maxProperties: number
  readonly minProperties: number
  readonly choices: readonly JsonValue[] | undefined
  readonly plainChoices: ReadonlySet<JsonValue> | undefined
  readonly allOf: readonly ValueSchema[]
  readonly anyOf: readonly ValueSchema[]
  readonly oneOf: readonly ValueSchema[]
  readonly not: ValueSchema | undefined
}

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

/** Throws `RegexError` if a pattern is not valid. */
export function compileValueSchema(schema: JsonSchema): ValueSchema {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : []
  const format = enforcedFormat(types.length === 1 ? (types[0] as string) : '', schema.format ?? '')
  const items = itemsOf(schema)
  const additional = additionalOf(schema)
  const choices = schema.enum && schema.enum.length > 0 ? schema.enum : undefined
  return {
    types,
    nullable: schema.nullable === true,
    format,
    formatCheck: stringFormatCheck(format),
    maxLength: schema.maxLength ?? Number.POSITIVE_INFINITY,
    minLength: schema.minLength ?? 0,
    pattern: schema.pattern ? { source: schema.pattern, regex: compileRegex(schema.pattern) } : undefined,
    number: numberBounds(schema, types, format),
    items: items && compileValueSchema(items),
    maxItems: schema.maxItems ?? Number.POSITIVE_INFINITY,
    minItems: schema.minItems ?? 0,
    properties: new Map(Object.entries(schema.properties ?? {}).map(([name, p]) => [name, compileValueSchema(p)])),
    additional: additional && compileValueSchema(additional),
    closed: schema.additionalProperties === false,
    required: schema.required ?? [],
    maxProperties: schema.maxProperties ?? Number.POSITIVE_INFINITY,
    minProperties: schema.minProperties ?? 0,
    choices,
    plainChoices: plainChoices(choices),
    allOf: (schema.allOf ?? []).map(compileValueSchema),
    anyOf: (schema.anyOf ?? []).map(compileValueSchema),
    oneOf: (schema.oneOf ?? []).map(compileValueSchema),
    not: schema.not && compileValueSchema(schema.not),
  }
}

function numberBounds(schema: JsonSchema, types: readonly string[], format: string): NumberBounds | undefined {
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

function plainChoices(choices: readonly JsonValue[] | undefined): ReadonlySet<JsonValue> | undefined {
  if (choices === undefined || choices.some((choice) => typeof choice === 'object' && choice !== null)) return undefined
  return new Set(choices)
}
