import { eachEmbedded, type SchemaNode, typeMetaErrors } from '@orrery/cel/schema'
import type { JsonObject, JsonValue, ObjectMeta } from '@orrery/kinds'
import { metaSchemas } from '@orrery/kinds/tables'
import {
  addAll,
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldInvalid,
  formatFieldError,
  getOwn,
  isObject,
} from '@orrery/kinds/values'
import { validateObjectMeta } from '../kinds-rules/object-meta.js'
import { ConformError, conform } from '../schema/conform.js'

/** Types the metadata of the object in place. Returns the paths of unknown fields. */
export function coerceMetadata(object: JsonObject): string[] {
  const metadata = getOwn(object, 'metadata')
  if (metadata === undefined) return []
  return conform(metadata, metaSchemas.ObjectMeta).unknown.map((path) => `metadata.${path}`)
}

/**
 * Does the same for every embedded resource in a value. Throws `ConformError` if `apiVersion`, `kind` or `metadata` of
 * one has the wrong type.
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

/** Returns the errors in type and metadata of the embedded resources of a coerced value. */
export function embeddedErrors(value: JsonValue, node: SchemaNode, path: string): FieldError[] {
  return collectFieldErrors((errors) =>
    eachEmbedded(value, node, path, (resource, at) => checkResource(resource, at, errors)),
  )
}

/** Returns the errors in type and metadata of one resource. */
export function resourceErrors(resource: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = []
  checkResource(resource, path, errors)
  return errors
}

function checkResource(resource: JsonObject, path: string, errors: FieldError[]): void {
  addAll(errors, typeMetaErrors(resource, path))
  const metadata = getOwn(resource, 'metadata')
  if (!isObject(metadata)) return
  const meta = metadata as ObjectMeta
  // An embedded resource may have no name yet.
  const named: ObjectMeta = { ...meta, name: meta.name || 'unnamed' }
  const namespaced = meta.namespace !== undefined && meta.namespace !== ''
  addAll(errors, validateObjectMeta(named, { namespaced, nameRule: 'pathSegment', path: childPath(path, 'metadata') }))
}
