import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import { isObject } from '@orrery/kinds/values'
import { difference, union } from './algebra.js'
import { compareObjects } from './compare.js'
import { canonicalJson } from './element.js'
import { EMPTY, type FieldSet } from './field-set.js'
import { fieldSetOf } from './owned.js'
import { invalidConfiguration } from './validate.js'

/** The annotation in which client-side apply stores the applied configuration. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** Only this manager continues from client-side apply. */
export const KUBECTL = 'kubectl'
const MAX_ANNOTATION_BYTES = 256 * 1024

/**
 * Returns the fields that client-side apply set and that still have its values. Server-side apply by kubectl takes them
 * over without a conflict.
 */
export function fieldsOfLastApplied(
  live: KubeObject,
  apiVersion: string,
  schema: StructSchema,
  zeroes: boolean,
): FieldSet {
  const annotation = live.metadata.annotations?.[LAST_APPLIED]
  const applied = annotation === undefined ? undefined : parseObject(annotation)
  if (applied === undefined || applied.apiVersion !== apiVersion) return EMPTY
  if (invalidConfiguration(applied, schema) !== undefined) return EMPTY
  const { added, modified, removed } = compareObjects(applied, live as JsonObject, schema, { zeroes })
  return difference(fieldSetOf(applied, schema), union(union(added, modified), removed))
}

function parseObject(json: string): JsonObject | undefined {
  try {
    const value = JSON.parse(json) as JsonValue
    return isObject(value) ? value : undefined
  } catch {
    // An annotation that is not JSON is ignored.
    return undefined
  }
}

/** Updates the annotation to the last applied configuration, if the object has one. */
export function updateLastApplied(object: KubeObject, config: KubeObject): KubeObject {
  const annotations = object.metadata.annotations
  if (!annotations?.[LAST_APPLIED]) return object
  const text = `${canonicalJson(withoutLastApplied(config) as JsonObject)}\n`
  if (annotations[LAST_APPLIED] === text) return object
  const updated = { ...annotations, [LAST_APPLIED]: text }
  if (annotationBytes(updated) > MAX_ANNOTATION_BYTES) delete (updated as Record<string, string>)[LAST_APPLIED]
  return { ...object, metadata: { ...object.metadata, annotations: updated } }
}

function withoutLastApplied(config: KubeObject): KubeObject {
  const annotations = config.metadata.annotations
  if (annotations?.[LAST_APPLIED] === undefined) return config
  const { [LAST_APPLIED]: _, ...others } = annotations
  return { ...config, metadata: { ...config.metadata, annotations: others } }
}

function annotationBytes(annotations: Record<string, string>): number {
  let bytes = 0
  for (const [name, value] of Object.entries(annotations)) bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  return bytes
}
