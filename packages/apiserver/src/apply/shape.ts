import type { JsonValue } from '@orrery/kinds'
import type { AnySchema, ListSchema, Schema, StructSchema } from '@orrery/kinds/tables'

/** The schema of undescribed parts: objects are merged by field, lists are atomic. */
export const ANY: AnySchema = { type: 'any' }

/** How a value is merged, compared and owned: by its fields, by its items, or as a whole. */
export type Shape = 'fields' | 'items' | 'whole'

/** Returns the shape of a value under a schema. Null matches every shape, so the schema decides. */
export function shapeOf(value: JsonValue, schema: Schema): Shape {
  switch (schema.type) {
    case 'struct':
    case 'map':
      return schema.atomic || !(typeof value === 'object' && !Array.isArray(value)) ? 'whole' : 'fields'
    case 'list':
      return schema.topology === 'atomic' || !(value === null || Array.isArray(value)) ? 'whole' : 'items'
    case 'any':
      // A field of a built-in kind with arbitrary JSON is one value; only undescribed data is merged by field.
      return schema.goType === undefined && typeof value === 'object' && !Array.isArray(value) ? 'fields' : 'whole'
    default:
      return 'whole'
  }
}

/** Returns the schema of a field of a value with the shape `fields`. */
export function fieldSchema(schema: Schema, name: string): Schema {
  if (schema.type === 'struct') return schema.fields.get(name)?.schema ?? ANY
  return schema.type === 'map' ? schema.values : ANY
}

/** Returns the schema of a value with the shape `items`, which is always a list. */
export function asList(schema: Schema): ListSchema {
  return schema as ListSchema
}

/** Returns whether a name is a declared field, as opposed to a map key. */
export function isDeclared(schema: Schema, name: string): boolean {
  return schema.type === 'struct' && schema.fields.has(name)
}

const zeroValues = new WeakMap<StructSchema, ReadonlyMap<string, JsonValue>>()

/**
 * Returns the fields of a built-in kind that always exist, because its Go type cannot omit them: structs by value,
 * required lists, and scalars without `omitempty`. Such a field has no owner until it gets another value.
 */
export function zeroValuesOf(schema: StructSchema): ReadonlyMap<string, JsonValue> {
  let zeroes = zeroValues.get(schema)
  if (zeroes === undefined) {
    zeroes = new Map(
      [...schema.fields.values()].flatMap((field): [string, JsonValue][] => {
        const type = field.schema.type
        if (type === 'struct') return isEmptyObject(field.default) ? [[field.name, {}]] : []
        if (type === 'list' || type === 'map') return field.required ? [[field.name, null]] : []
        return field.default === '' || field.default === 0 || field.default === false
          ? [[field.name, field.default]]
          : []
      }),
    )
    zeroValues.set(schema, zeroes)
  }
  return zeroes
}

function isEmptyObject(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}
