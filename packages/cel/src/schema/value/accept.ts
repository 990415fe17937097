import type { JsonValue } from '@orrery/kinds'
import { type CountLimits, fitsRange, type NumberBounds } from '../keywords.js'
import type { Junctors, SchemaNode } from '../schema-tree.js'
import { exceeds, fallsShort, hasType, isChoice, isMultiple, textProblem, typeOf } from './kinds.js'

/** Whether a value conforms to a schema. Allocates nothing, since most values do conform. */
export function accepts(schema: SchemaNode, value: JsonValue): boolean {
  if (value === null) return (schema.types.length === 0 || schema.nullable) && isChoice(value, schema)
  return (
    acceptsType(schema, value) &&
    (schema.junctors === undefined || acceptsJunctors(schema.junctors, value)) &&
    isChoice(value, schema) &&
    acceptsContent(schema, value)
  )
}

/** Whether the type fits. A format for strings also accepts arrays, as in Kubernetes. */
export function acceptsType(schema: SchemaNode, value: Exclude<JsonValue, null>): boolean {
  const { types, format } = schema
  if (types.length === 0 && format === '') return true
  if (format !== '' && schema.formatCheck && (typeof value === 'string' || Array.isArray(value))) {
    if (!types.includes('integer')) return true
  }
  return hasType(types, typeOf(value))
}

function acceptsJunctors({ allOf, anyOf, oneOf, not }: Junctors, value: JsonValue): boolean {
  for (const branch of allOf) if (!accepts(branch, value)) return false
  if (anyOf.length > 0 && !anyOf.some((branch) => accepts(branch, value))) return false
  if (oneOf.length > 0) {
    let valid = 0
    for (const branch of oneOf) if (accepts(branch, value)) valid++
    if (valid !== 1) return false
  }
  return not === undefined || !accepts(not, value)
}

function acceptsContent(schema: SchemaNode, value: Exclude<JsonValue, null>): boolean {
  switch (typeof value) {
    case 'string':
      return acceptsText(schema, value)
    case 'number':
      return schema.number === undefined || acceptsNumber(schema.number, schema.format, value)
    case 'object':
      return Array.isArray(value) ? acceptsItems(schema, value) : acceptsFields(schema, value)
    default:
      return true
  }
}

function acceptsText({ text, formatCheck }: SchemaNode, value: string): boolean {
  if (text !== undefined && textProblem(value, text) !== undefined) return false
  return formatCheck === undefined || formatCheck(value)
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

function acceptsItems(schema: SchemaNode, items: JsonValue[]): boolean {
  if (!isWithin(items.length, schema.itemLimits)) return false
  if (schema.items === undefined) return true
  for (const item of items) if (!accepts(schema.items, item)) return false
  return true
}

function acceptsFields(schema: SchemaNode, object: { [key: string]: JsonValue }): boolean {
  const keys = Object.keys(object)
  if (!isWithin(keys.length, schema.propertyLimits)) return false
  for (const name of schema.required) if (!Object.hasOwn(object, name)) return false
  for (const key of keys) {
    const property = schema.properties.get(key)
    if (property === undefined && schema.closed) return false
    const child = property ?? schema.additional
    if (child !== undefined && !accepts(child, object[key] as JsonValue)) return false
  }
  return true
}

function isWithin(count: number, limits: CountLimits | undefined): boolean {
  return limits === undefined || (count >= limits.minimum && count <= limits.maximum)
}
