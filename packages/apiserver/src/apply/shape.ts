import type { JsonValue } from '@orrery/kinds'
import type { AnySchema, ListSchema, Schema, StructSchema } from '@orrery/kinds/tables'

/** Parts of objects that no schema describes: objects are taken apart, lists are not. */
export const ANY: AnySchema = { type: 'any' }

/** How a value is merged, compared and owned: taken apart by its fields, by its items, or as a whole. */
export type Shape = 'fields' | 'items' | 'whole'

/** The shape of a value under a schema. Null fits every shape, so it takes the one the schema prefers. */
export function shapeOf(value: JsonValue, schema: Schema): Shape {
  switch (schema.type) {
    case 'struct':
    case 'map':
      return schema.atomic || !(typeof value === 'object' && !Array.isArray(value)) ? 'whole' : 'fields'
    case 'list':
      return schema.topology === 'atomic' || !(value === null || Array.isArray(value)) ? 'whole' : 'items'
    case 'any':
      // A field of a built-in kind that holds any JSON is one value; only what no schema speaks of is taken apart.
      return schema.goType === undefined && typeof value === 'object' && !Array.isArray(value) ? 'fields' : 'whole'
    default:
      return 'whole'
  }
}

/** The schema of a field of a value whose shape is `fields`. */
export function fieldSchema(schema: Schema, name: string): Schema {
  if (schema.type === 'struct') return schema.fields.get(name)?.schema ?? ANY
  return schema.type === 'map' ? schema.values : ANY
}

/** The schema of a value whose shape is `items`: only lists are taken apart that way. */
export function asList(schema: Schema): ListSchema {
  return schema as ListSchema
}

/** Whether a name is a field the schema declares, as opposed to a key that is data. */
export function isDeclared(schema: Schema, name: string): boolean {
  return schema.type === 'struct' && schema.fields.has(name)
}

const zeroValues = new WeakMap<StructSchema, ReadonlyMap<string, JsonValue>>()

/**
 * The fields of a built-in kind that are there even when nobody set them, because its Go type cannot leave them out:
 * structs held by value, required lists, and scalars that default to zero. Nobody owns such a field until it gets
 * another value.
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
