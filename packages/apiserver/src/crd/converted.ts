import type { JsonObject, KubeObject, ObjectMeta } from '@orrery/kinds'
import {
  cloneJson,
  type FieldError,
  formatFieldError,
  formatGroupVersion,
  getOwn,
  isObject,
  jsonEqual,
  parseGroupVersion,
} from '@orrery/kinds/values'
import { checkAnnotations, checkLabels } from '../kinds-rules/labels.js'

/** Why the result of a converter is refused. */
export interface ConversionFailure {
  readonly what: string
  readonly why: string
}

/** Checks that the result of a converter is the original in another version: its identity must not differ. */
export function checkConverted(
  original: KubeObject,
  converted: unknown,
  toApiVersion: string,
): ConversionFailure | undefined {
  const what = 'converted object'
  if (!isObject(converted)) return { what, why: 'not a JSON object' }
  const apiVersion = textOf(converted, 'apiVersion')
  if (apiVersion !== toApiVersion) {
    const got = parseGroupVersion(apiVersion)
    const received = got ? formatGroupVersion(got.group, got.version) : apiVersion
    return { what, why: `invalid groupVersion (expected ${toApiVersion}, received ${received})` }
  }
  const kind = textOf(converted, 'kind')
  if (kind !== original.kind) return { what, why: `invalid kind (expected ${original.kind}, received ${kind})` }
  const meta = getOwn(converted, 'metadata')
  for (const [field, shown] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const) {
    const before = original.metadata[field] ?? ''
    const after = isObject(meta) ? textOf(meta, field) : ''
    if (before !== after) return { what, why: `must have the same ${shown}: ${before} != ${after}` }
  }
  return undefined
}

/**
 * Restores the metadata of the original in place, except for labels and annotations: a converter cannot change other
 * metadata. Returns an error for invalid labels or annotations.
 */
export function restoreMetadata(original: KubeObject, converted: KubeObject): string | undefined {
  const answered: unknown = converted.metadata
  if (!isObject(answered)) return 'missing metadata in converted object'
  const metadata = cloneJson(original.metadata as unknown as JsonObject)
  for (const field of ['labels', 'annotations'] as const) {
    const wanted = getOwn(answered, field)
    if (wanted === undefined || wanted === null) {
      delete metadata[field]
      continue
    }
    const problem = textMapProblem(wanted, field)
    if (problem !== undefined) return problem
    if (!jsonEqual(wanted, metadata[field])) {
      const errors = labelErrors(field, wanted as Record<string, string>)
      if (errors.length > 0) return errors.map(formatFieldError).join(', ')
    }
    metadata[field] = wanted
  }
  converted.metadata = metadata as ObjectMeta
  return undefined
}

function labelErrors(field: 'labels' | 'annotations', values: Record<string, string>): FieldError[] {
  const errors: FieldError[] = []
  if (field === 'labels') checkLabels(values, 'metadata.labels', errors)
  else checkAnnotations(values, 'metadata.annotations', errors)
  return errors
}

function textMapProblem(value: unknown, field: string): string | undefined {
  if (!isObject(value)) return `invalid metadata.${field} in converted object: not an object`
  for (const key of Object.keys(value)) {
    if (typeof value[key] !== 'string') return `metadata.${field}[${key}] must be a string in converted object`
  }
  return undefined
}

function textOf(object: JsonObject, key: string): string {
  const value = getOwn(object, key)
  return typeof value === 'string' ? value : ''
}
