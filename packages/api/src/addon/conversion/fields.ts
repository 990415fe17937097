import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** Converts an object to another version. Does not change the input. */
export type Conversion = (value: JsonObject) => JsonObject

/** The object with the value of a field converted, if it has it. */
export function withField<T extends object>(object: T, field: keyof T & string, convert: Conversion): T {
  const value = object[field]
  return isObject(value) ? { ...object, [field]: convert(value) } : object
}

/** The object with the items of a list converted, if it has it. */
export function withItems(object: JsonObject, field: string, convert: Conversion): JsonObject {
  const items = object[field]
  return Array.isArray(items) ? { ...object, [field]: items.map((item) => convertedItem(item, convert)) } : object
}

/** The object with a field under another name, if it has it. */
export function withFieldNamed(object: JsonObject, from: string, to: string): JsonObject {
  const { [from]: value, ...rest } = object
  return value === undefined ? object : { ...rest, [to]: value }
}

/** The object with only these fields. */
export function onlyFields(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => fields.includes(field)))
}

function convertedItem(item: JsonValue, convert: Conversion): JsonValue {
  return isObject(item) ? convert(item) : item
}
