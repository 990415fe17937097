import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema, Schema } from '@orrery/kinds/tables'
import { formatGoValue, goTypeName, isObject } from '@orrery/kinds/values'
import { type Element, fieldElement, formatElement, itemElement, UnkeyedItem } from './element.js'
import { formatSyntax } from './goformat.js'

/** The maximum number of errors: a body of 3 MB can have a million invalid items. */
const MAX_ERRORS = 500
/** The maximum length of a path: a key can have megabytes, and each error below repeats it. */
const MAX_PATH = 4096

/**
 * Checks an applied configuration against its schema: undeclared fields, wrong types, list items without a key or with
 * duplicate keys. Returns the errors with kube-apiserver's messages, or undefined.
 */
export function invalidConfiguration(config: JsonObject, schema: Schema): string | undefined {
  const errors: string[] = []
  checkValue(config, schema, '', errors)
  if (errors.length <= 1) return errors[0]
  return ['errors:', ...errors.map((error) => `  ${error}`)].join('\n')
}

function checkValue(value: JsonValue, schema: Schema, path: string, errors: string[]): void {
  if (value === null) return
  switch (schema.type) {
    case 'any':
      return
    case 'struct':
    case 'map':
      if (isObject(value)) checkFields(value, schema, path, errors)
      else errors.push(located(path, `expected map, got &{${formatGoValue(value)}}`))
      return
    case 'list':
      if (Array.isArray(value)) checkItems(value, schema, path, errors)
      else errors.push(located(path, `expected list, got &{${formatGoValue(value)}}`))
      return
    default: {
      const problem = wrongScalar(value, schema.type)
      if (problem !== undefined) errors.push(located(path, problem))
    }
  }
}

function checkFields(object: JsonObject, schema: Schema, path: string, errors: string[]): void {
  for (const name of Object.keys(object)) {
    if (errors.length >= MAX_ERRORS) return
    const declared = declaredSchema(schema, name)
    const fieldPath = extended(path, formatElement(fieldElement(name)))
    if (declared === undefined) {
      errors.push(located(fieldPath, 'field not declared in schema'))
      return
    }
    checkValue(object[name] as JsonValue, declared, fieldPath, errors)
  }
}

function declaredSchema(schema: Schema, name: string): Schema | undefined {
  if (schema.type === 'map') return schema.values
  if (schema.type !== 'struct') return undefined
  return schema.fields.get(name)?.schema ?? (schema.preserveUnknown ? { type: 'any' } : undefined)
}

function checkItems(items: readonly JsonValue[], list: ListSchema, path: string, errors: string[]): void {
  if (list.topology === 'atomic') {
    for (let index = 0; index < items.length && errors.length < MAX_ERRORS; index++) {
      const item = items[index] as JsonValue
      // There can be a million, and nearly all are valid.
      if (item === null || (isScalar(list.items) && wrongScalar(item, list.items.type) === undefined)) continue
      checkValue(item, list.items, extended(path, formatElement(`i:${index}`)), errors)
    }
    return
  }
  const seen = new Set<Element>()
  for (const [index, item] of items.entries()) {
    if (errors.length >= MAX_ERRORS) return
    const element = elementOrProblem(item, list)
    if (element instanceof UnkeyedItem) {
      errors.push(located(path, `element ${index}: ${element.message}`))
      return
    }
    const shown = formatElement(element)
    if (seen.has(element)) errors.push(located(path, `duplicate entries for key ${shown}`))
    seen.add(element)
    checkValue(item, list.items, extended(path, shown), errors)
  }
}

function isScalar({ type }: Schema): boolean {
  return type !== 'any' && type !== 'struct' && type !== 'map' && type !== 'list'
}

function elementOrProblem(item: JsonValue, list: ListSchema): Element | UnkeyedItem {
  try {
    return itemElement(item, list)
  } catch (error) {
    if (error instanceof UnkeyedItem) return error
    throw error
  }
}

function wrongScalar(value: JsonValue, type: string): string | undefined {
  switch (type) {
    case 'string':
    case 'duration':
    case 'bytes':
      if (typeof value === 'string') return undefined
      return `expected string, got &value.valueUnstructured{Value:${formatSyntax(value)}}`
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${formatGoValue(value)}}`
    case 'int32':
    case 'int64':
    case 'integer':
    case 'number':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goTypeName(value)}`
    default:
      return typeof value === 'object' ? `expected any scalar, got &{${formatGoValue(value)}}` : undefined
  }
}

function extended(path: string, element: string): string {
  if (path.length + element.length <= MAX_PATH) return path + element
  return path.length > MAX_PATH ? path : `${(path + element.slice(0, MAX_PATH)).slice(0, MAX_PATH)}...`
}

function located(path: string, problem: string): string {
  return path === '' ? problem : `${path}: ${problem}`
}
