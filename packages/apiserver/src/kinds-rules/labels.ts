import type { JsonObject } from '@orrery/kinds'
import {
  addAll,
  type FieldError,
  fieldInvalid,
  fieldTooLong,
  isLabelValue,
  isObject,
  isQualifiedName,
  type LabelSelector,
  type LabelSelectorSpec,
  labelSelectorFrom,
  validateLabelSelector,
} from '@orrery/kinds/values'
import { type Check, reportFormat } from './check.js'
import { listOf, type Value } from './read.js'

const ANNOTATIONS_MAX_BYTES = 256 * 1024

type Texts = Readonly<Record<string, string>> | undefined

/** Labels: qualified keys, short values. */
export function checkLabels(labels: Texts, at: string, errors: FieldError[]): void {
  for (const key in labels) {
    reportFormat(isQualifiedName, key, at, errors)
    reportFormat(isLabelValue, labels[key] ?? '', at, errors)
  }
}

/** Annotations: qualified keys in any case, any values, a limited total size. */
export function checkAnnotations(annotations: Texts, at: string, errors: FieldError[]): void {
  let size = 0
  for (const key in annotations) {
    for (const message of isQualifiedName(key.toLowerCase())) errors.push(fieldInvalid(at, key, message))
    size += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '')
  }
  if (size > ANNOTATIONS_MAX_BYTES) errors.push(fieldTooLong(at, ANNOTATIONS_MAX_BYTES))
}

export const labelMap: Check = (value, at, errors) => {
  if (isObject(value)) checkLabels(value as Record<string, string>, at, errors)
}

export const annotationMap: Check = (value, at, errors) => {
  if (isObject(value)) checkAnnotations(value as Record<string, string>, at, errors)
}

/** A `LabelSelector`: `matchLabels` and `matchExpressions`. */
export const labelSelector: Check = (value, at, errors) => {
  if (isObject(value)) addAll(errors, validateLabelSelector(value as LabelSelectorSpec, at))
}

export function isEmptySelector(selector: JsonObject): boolean {
  return Object.keys(selector.matchLabels ?? {}).length + listOf(selector, 'matchExpressions').length === 0
}

/** Compiles a `LabelSelector`; returns undefined if it is invalid, which is reported elsewhere. */
export function compileSelector(selector: Value): LabelSelector | undefined {
  const spec = selector as LabelSelectorSpec | undefined
  return validateLabelSelector(spec, '').length > 0 ? undefined : labelSelectorFrom(spec)
}
