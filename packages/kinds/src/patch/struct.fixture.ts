import type { Field, ListSchema, MapSchema, ScalarSchema, Schema, StructSchema } from '../tables/index.js'

export const STRING: ScalarSchema = { type: 'string' }

export function struct(
  fields: Record<string, Schema | [Schema, Partial<Field>]>,
  options: Partial<StructSchema> = {},
): StructSchema {
  const map = new Map<string, Field>()
  for (const [name, value] of Object.entries(fields)) {
    const [schema, extra] = Array.isArray(value) ? value : [value, {}]
    map.set(name, { name, schema, required: false, ...extra })
  }
  return { type: 'struct', fields: map, preserveUnknown: false, atomic: false, embedded: false, ...options }
}

export function mapOf(values: Schema): MapSchema {
  return { type: 'map', values, atomic: false }
}

export function listOf(items: Schema, topology: ListSchema['topology'] = 'atomic', keys: string[] = []): ListSchema {
  return { type: 'list', items, topology, keys }
}
