import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { Field, Schema, StructSchema } from '@orrery/kinds/tables'

/**
 * Determines which fields a typed object has. Go clients always see zero values of fields without `omitempty`, and
 * never of others: objects from JSON or protobuf are converted to the same form here.
 */

/** Adds missing fields that are always written. */
export function fillAlways(object: JsonObject, schema: StructSchema): void {
  const { always } = schema
  if (always === undefined) return
  for (const field of always) {
    if (object[field.name] === undefined) object[field.name] = zeroOf(field)
  }
}

/** Returns whether the field is omitted with this value. */
export function isOmitted(field: Field, value: JsonValue): boolean {
  return value === null ? field.presence !== 'always' : field.presence === 'nonzero' && isEmpty(value)
}

/** Returns what a missing field is written as. */
function zeroOf(field: Field): JsonValue {
  return field.pointer === true ? null : zeroValue(field.schema)
}

/** Returns Go's zero value of a type, as JSON. */
export function zeroValue(schema: Schema): JsonValue {
  switch (schema.type) {
    case 'struct': {
      const object: JsonObject = {}
      fillAlways(object, schema)
      return object
    }
    case 'string':
      return ''
    case 'boolean':
      return false
    case 'int32':
    case 'int64':
    case 'integer':
    case 'number':
    case 'intOrString':
      return 0
    case 'quantity':
      return '0'
    case 'duration':
      return '0s'
    default:
      return null
  }
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '' || value === 0 || value === false
  if (Array.isArray(value)) return value.length === 0
  for (const _ in value) return false
  return true
}
