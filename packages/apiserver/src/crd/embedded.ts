import {
  childPath,
  type FieldError,
  fieldInvalid,
  fieldRequired,
  formatFieldError,
  indexPath,
  isDNS1035Label,
  type JsonObject,
  type JsonValue,
  keyPath,
  type ObjectMeta,
  parseGroupVersion,
} from '@orrery/kube'
import { addAll, getOwn, isObject } from '../json.js'
import { metaSchemas } from '../kinds/index.js'
import { validateObjectMeta } from '../kinds-rules/objectmeta.js'
import { ConformError, conform } from '../schema/conform.js'
import type { SchemaNode } from './schematree.js'

/** Gives the metadata of the object itself its types, in place; the paths of what metadata does not have are returned. */
export function coerceMetadata(object: JsonObject): string[] {
  const metadata = getOwn(object, 'metadata')
  if (metadata === undefined) return []
  return conform(metadata, metaSchemas.ObjectMeta).unknown.map((path) => `metadata.${path}`)
}

/**
 * Does the same for every embedded resource in a value. Throws `ConformError` when `apiVersion`, `kind` or `metadata`
 * of one has the wrong type.
 */
export function coerceEmbedded(value: JsonValue, node: SchemaNode, path: string, unknown: string[]): void {
  eachEmbedded(value, node, path, (resource, at) => {
    for (const name of ['apiVersion', 'kind']) {
      const text = getOwn(resource, name)
      if (text !== undefined && typeof text !== 'string') {
        throw new ConformError(formatFieldError(fieldInvalid(childPath(at, name), text, 'must be a string')))
      }
    }
    const metadata = getOwn(resource, 'metadata')
    if (metadata === undefined) return
    const metaPath = childPath(at, 'metadata')
    try {
      for (const field of conform(metadata, metaSchemas.ObjectMeta).unknown) unknown.push(`${metaPath}.${field}`)
    } catch (error) {
      if (!(error instanceof ConformError)) throw error
      throw new ConformError(formatFieldError(fieldInvalid(metaPath, metadata, error.message)))
    }
  })
}

/** What is wrong with the type and metadata of the embedded resources in a value that has been coerced. */
export function embeddedErrors(value: JsonValue, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = []
  eachEmbedded(value, node, path, (resource, at) => checkResource(resource, at, errors))
  return errors
}

/** What is wrong with the type and metadata of one resource. */
export function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  checkResource(resource, path, errors)
  return errors
}

function checkResource(resource: JsonObject, path: string, errors: FieldError[]): void {
  checkApiVersion(getOwn(resource, 'apiVersion'), childPath(path, 'apiVersion'), errors)
  checkKind(getOwn(resource, 'kind'), childPath(path, 'kind'), errors)
  const metadata = getOwn(resource, 'metadata')
  if (!isObject(metadata)) return
  const meta = metadata as ObjectMeta
  // An embedded resource need not have a name yet.
  const named: ObjectMeta = { ...meta, name: meta.name || 'unnamed' }
  const namespaced = meta.namespace !== undefined && meta.namespace !== ''
  addAll(errors, validateObjectMeta(named, { namespaced, nameRule: 'pathSegment', path: childPath(path, 'metadata') }))
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

function eachEmbedded(
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
