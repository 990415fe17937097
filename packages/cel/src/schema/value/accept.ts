import type { JsonValue } from '@orrery/kinds'
import { exceeds, fallsShort, fitsRange, hasType, isChoice, isMultiple, textProblem, typeOf } from './kinds.js'
import type { NumberBounds, ValueSchema } from './value-schema.js'

/** Whether a value conforms to a schema. Allocates nothing, since most values do conform. */
export function accepts(schema: ValueSchema, value: JsonValue): boolean {
  if (value === null) return (schema.types.length === 0 || schema.nullable) && isChoice(value, schema)
  return (
    acceptsType(schema, value) &&
    acceptsJunctors(schema, value) &&
    isChoice(value, schema) &&
    acceptsContent(schema, value)
  )
}

/** Whether the type fits. A format for strings also accepts arrays, as in Kubernetes. */
export function acceptsType(schema: ValueSchema, value: Exclude<JsonValue, null>): boolean {
  const { types, format } = schema
  if (types.length === 0 && format === '') return true
  if (format !== '' && schema.formatCheck && (typeof value === 'string' || Array.isArray(value))) {
    if (!types.includes('integer')) return true
  }
  return hasType(types, typeOf(value))
}

function acceptsJunctors(schema: ValueSchema, value: JsonValue): boolean {
  for (const branch of schema.allOf) if (!accepts(branch, value)) return false
  if (schema.anyOf.length > 0 && !schema.anyOf.some((branch) => accepts(branch, value))) return false
  if (schema.oneOf.length > 0) {
    let valid = 0
    for (const branch of schema.oneOf) if (accepts(branch, value)) valid++
    if (valid !== 1) return false
  }
  return schema.not === undefined || !accepts(schema.not, value)
}

function acceptsContent(schema: ValueSchema, value: Exclude<JsonValue, null>): boolean {
  switch (typeof value) {
    case 'string':
      return textProblem(value, schema) === undefined && (schema.formatCheck?.(value) ?? true)
    case 'number':
      return schema.number === undefined || acceptsNumber(schema.number, schema.format, value)
    case 'object':
      return Array.isArray(value) ? acceptsItems(schema, value) : acceptsFields(schema, value)
    default:
      return true
  }
}

function acceptsNumber(bounds: NumberBounds, format: string, value: number): boolean {
  return (
    bounds.limitsFit &&
    fitsRange(value, bounds.type, format) &&
    !exceeds(value, bounds) &&
    !fallsShort(value, bounds) &&
    (bounds.multipleOf === undefined || isMultiple(value, bounds.multipleOf))
  )
}

function acceptsItems(schema: ValueSchema, items: JsonValue[]): boolean {
  if (items.length < schema.minItems || items.length > schema.maxItems) return false
  if (schema.items === undefined) return true
  for (const item of items) if (!accepts(schema.items, item)) return false
  return true
}

function acceptsFields(schema: ValueSchema, object: { [key: string]: JsonValue }): boolean {
  const keys = Object.keys(object)
  if (keys.length < schema.minProperties || keys.length > schema.maxProperties) return false
  for (const name of schema.required) if (!Object.hasOwn(object, name)) return false
  for (const key of keys) {
    const property = schema.properties.get(key)
    if (property === undefined && schema.closed) return false
    const child = property ?? schema.additional
    if (child !== undefined && !accepts(child, object[key] as JsonValue)) return false
  }
  return true
}
