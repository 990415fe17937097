import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  childPath,
  type FieldError,
  fieldInvalid,
  fieldRequired,
  getOwn,
  indexPath,
  isDNS1035Label,
  keyPath,
  parseGroupVersion,
} from '@orrery/kinds/values'
import type { SchemaNode } from './schema-tree.js'

/** Visits every embedded resource in a value, outer ones first. */
export function eachEmbedded(
  value: JsonValue,
  node: SchemaNode,
  path: string,
  visit: (resource: JsonObject, path: string) => void,
): void {
  if (typeof value !== 'object' || value === null || !node.embeddedBelow) return
  if (Array.isArray(value)) {
    const items = node.items
    if (items) for (const [index, item] of value.entries()) eachEmbedded(item, items, indexPath(path, index), visit)
    return
  }
  if (node.embedded) visit(value, path)
  for (const key of Object.keys(value)) {
    const property = node.properties.get(key)
    if (property) eachEmbedded(value[key] as JsonValue, property, childPath(path, key), visit)
    else if (node.additional) eachEmbedded(value[key] as JsonValue, node.additional, keyPath(path, key), visit)
  }
}

/** The errors of `apiVersion` and `kind` of a resource. */
export function typeMetaErrors(resource: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  checkApiVersion(getOwn(resource, 'apiVersion'), childPath(path, 'apiVersion'), errors)
  checkKind(getOwn(resource, 'kind'), childPath(path, 'kind'), errors)
  return errors
}

function checkApiVersion(value: JsonValue | undefined, path: string, errors: FieldError[]): void {
  if (value === undefined) errors.push(fieldRequired(path))
  else if (typeof value !== 'string') errors.push(fieldInvalid(path, value, 'must be a string'))
  else if (value === '') errors.push(fieldInvalid(path, value, 'must not be empty'))
  else if (parseGroupVersion(value) === undefined) {
    errors.push(fieldInvalid(path, value, `unexpected GroupVersion string: ${value}`))
  }
}

function checkKind(value: JsonValue | undefined, path: string, errors: FieldError[]): void {
  if (value === undefined) errors.push(fieldRequired(path))
  else if (typeof value !== 'string') errors.push(fieldInvalid(path, value, 'must be a string'))
  else if (value === '') errors.push(fieldInvalid(path, value, 'must not be empty'))
  else {
    const problems = isDNS1035Label(value.toLowerCase())
    if (problems.length === 0) return
    errors.push(fieldInvalid(path, value, `may have mixed case, but should otherwise match: ${problems.join(',')}`))
  }
}
