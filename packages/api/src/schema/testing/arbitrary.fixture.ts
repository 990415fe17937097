import { itemsOf, type JsonSchema } from '@orrery/cel/schema'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import fc from 'fast-check'

/** Significant values of fields, by field name. */
export type Favourites = Readonly<Record<string, readonly string[]>>

/** Arbitrary values of a schema. Supports the keywords of the add-on kinds. */
export function arbitraryOf(schema: JsonSchema, favourites: Favourites = {}): fc.Arbitrary<JsonValue> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema['x-kubernetes-int-or-string'] === true) return fc.oneof(fc.nat(99), text(schema))
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time' ? moment() : text(schema)
    case 'integer':
      return fc.integer({ min: schema.minimum ?? -1000, max: 1000 })
    case 'array':
      return list(schema, favourites)
    default:
      return record(schema, favourites)
  }
}

/** Names of namespaced and cluster-scoped objects. */
export const someName = fc.stringMatching(/^[a-z]{1,5}$/)

function text({ pattern, minLength = 0, maxLength = 40 }: JsonSchema): fc.Arbitrary<string> {
  if (pattern === undefined) return fc.string({ minLength, maxLength: Math.min(maxLength, 8) })
  return fc
    .stringMatching(new RegExp(pattern), { size: '-1' })
    .filter(({ length }) => length >= minLength && length <= maxLength)
}

function moment(): fc.Arbitrary<string> {
  return fc
    .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
    .map((date) => `${date.toISOString().slice(0, 19)}Z`)
}

function list(schema: JsonSchema, favourites: Favourites): fc.Arbitrary<JsonValue[]> {
  const item = arbitraryOf(itemsOf(schema) as JsonSchema, favourites)
  const keys = schema['x-kubernetes-list-map-keys'] ?? []
  if (keys.length === 0) return fc.array(item, { maxLength: 3 })
  const selector = (value: JsonValue) => JSON.stringify(keys.map((key) => (value as JsonObject)[key] ?? ''))
  return fc.uniqueArray(item, { maxLength: 3, selector })
}

function record({ properties = {}, required = [] }: JsonSchema, favourites: Favourites): fc.Arbitrary<JsonObject> {
  const fields = Object.entries(properties).map(([name, field]): [string, fc.Arbitrary<JsonValue>] => {
    const value = arbitraryOf(field, favourites)
    const known = favourites[name]
    return [name, known === undefined ? value : fc.oneof(fc.constantFrom(...known), value)]
  })
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
}
