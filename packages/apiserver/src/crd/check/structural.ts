import { compileRegex, RegexError } from '@orrery/cel/regex'
import { additionalOf, itemsOf, type JsonSchema } from '@orrery/cel/schema'
import {
  addAll,
  childPath,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldRequired,
  formatFieldError,
  indexPath,
  keyPath,
} from '@orrery/kinds/values'
import { completenessErrors } from './completeness.js'

type Level = 'root' | 'item' | 'field'

const TYPE_MISSING: Record<Level, string> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
}

/** Returns why a schema is not structural, which pruning, defaulting and CEL require (KEP-1693). */
export function structuralErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors: FieldError[] = []
  checkNode(schema, 'root', path, errors)
  addAll(errors, completenessErrors(schema, path))
  return errors.sort((a, b) => (formatFieldError(a) < formatFieldError(b) ? -1 : 1))
}

function checkNode(schema: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const items = itemsOf(schema)
  if (schema.type === 'array' && !items) errors.push(fieldRequired(childPath(path, 'items'), 'must be specified'))
  if (items) checkNode(items, 'item', childPath(path, 'items'), errors)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkNode(property, 'field', propertyPath(path, name), errors)
  }
  if (schema.additionalProperties !== undefined) {
    const at = childPath(path, 'additionalProperties')
    if (level === 'root') errors.push(fieldForbidden(at, 'must not be used at the root'))
    const additional = additionalOf(schema)
    if (additional) checkNode(additional, 'field', at, errors)
  }
  checkExtensions(schema, path, errors)
  checkValues(schema, isIntOrString(schema.anyOf), isIntOrString(schema.allOf?.[0]?.anyOf), path, errors)
  checkType(schema, level, path, errors)
  checkMetadata(schema, level, path, errors)
}

function checkExtensions(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (!schema['x-kubernetes-int-or-string']) return
  for (const extension of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (!schema[extension]) continue
    const detail = 'must be false if x-kubernetes-int-or-string is true'
    errors.push(fieldInvalid(childPath(path, extension), true, detail))
  }
}

function checkType(schema: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const at = childPath(path, 'type')
  const type = schema.type ?? ''
  const embedded = schema['x-kubernetes-embedded-resource'] === true
  const preserve = schema['x-kubernetes-preserve-unknown-fields'] === true
  if (embedded && type !== 'object') {
    const detail = 'must be object if x-kubernetes-embedded-resource is true'
    errors.push(type === '' ? fieldRequired(at, detail) : fieldInvalid(at, type, detail))
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !preserve) {
    errors.push(fieldRequired(at, TYPE_MISSING[level]))
  }
  if (embedded && schema.additionalProperties !== undefined) {
    const detail = 'must not be used if x-kubernetes-embedded-resource is set'
    errors.push(fieldForbidden(childPath(path, 'additionalProperties'), detail))
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.push(fieldInvalid(at, type, 'must be object at the root'))
  }
  if (embedded && !preserve && Object.keys(schema.properties ?? {}).length === 0) {
    const detail =
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields'
    errors.push(fieldRequired(childPath(path, 'properties'), detail))
  }
}

/** The server owns `metadata`: a schema may only restrict its name and generateName, at the root. */
function checkMetadata(schema: JsonSchema, level: Level, path: string, errors: FieldError[]): void {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true
  for (const name of ['kind', 'apiVersion']) {
    const property = propertyOf(schema, name)
    if (property && isResource && property.type !== 'string') {
      errors.push(fieldInvalid(childPath(propertyPath(path, name), 'type'), property.type ?? '', 'must be string'))
    }
  }
  const metadata = propertyOf(schema, 'metadata')
  if (!metadata) return
  const at = propertyPath(path, 'metadata')
  if (isResource && metadata.type !== 'object') {
    errors.push(fieldInvalid(childPath(at, 'type'), metadata.type ?? '', 'must be object'))
  }
  if (level === 'root' && !onlyNarrowsNames(metadata)) {
    const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified'
    errors.push(fieldForbidden(at, detail))
  }
}

function onlyNarrowsNames(metadata: JsonSchema): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata
  const named = Object.keys(properties ?? {}).every((name) => name === 'name' || name === 'generateName')
  return named && Object.values(rest).every(isZero)
}

function isZero(value: unknown): boolean {
  return value === undefined || value === null || value === '' || value === false || isEmptyList(value)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Returns whether branches are exactly `anyOf: [{type: integer}, {type: string}]`. */
function isIntOrString(branches: JsonSchema[] | undefined): boolean {
  if (branches?.length !== 2) return false
  const [first, second] = branches as [JsonSchema, JsonSchema]
  return isOnlyType(first, 'integer') && isOnlyType(second, 'string')
}

function isOnlyType(schema: JsonSchema, type: string): boolean {
  return schema.type === type && Object.keys(schema).length === 1
}

function checkValues(
  schema: JsonSchema,
  skipAnyOf: boolean,
  skipAnyOfInFirst: boolean,
  path: string,
  errors: FieldError[],
): void {
  if (!skipAnyOf) {
    for (const [index, branch] of (schema.anyOf ?? []).entries()) {
      checkBranch(branch, false, indexPath(childPath(path, 'anyOf'), index), errors)
    }
  }
  for (const [index, branch] of (schema.allOf ?? []).entries()) {
    checkBranch(branch, skipAnyOfInFirst && index === 0, indexPath(childPath(path, 'allOf'), index), errors)
  }
  for (const [index, branch] of (schema.oneOf ?? []).entries()) {
    checkBranch(branch, false, indexPath(childPath(path, 'oneOf'), index), errors)
  }
  if (schema.not) checkBranch(schema.not, false, childPath(path, 'not'), errors)
  checkPattern(schema, path, errors)
}

function checkPattern(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (!schema.pattern) return
  try {
    compileRegex(schema.pattern)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    const detail = `must be a valid regular expression, but isn't: ${error.message}`
    errors.push(fieldInvalid(childPath(path, 'pattern'), schema.pattern, detail))
  }
}

/** Below a logical junctor a schema may only restrict values: the structure is specified outside of it. */
function checkBranch(schema: JsonSchema, skipAnyOf: boolean, path: string, errors: FieldError[]): void {
  checkValues(schema, skipAnyOf, false, path, errors)
  const items = itemsOf(schema)
  if (items) checkBranch(items, false, childPath(path, 'items'), errors)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkBranch(property, false, propertyPath(path, name), errors)
  }
  for (const [keyword, why] of SHAPING) {
    if (!isZero(schema[keyword])) {
      errors.push(fieldForbidden(childPath(path, keyword), `must be ${why} to be structural`))
    }
  }
  if (propertyOf(schema, 'metadata')) {
    errors.push(fieldForbidden(propertyPath(path, 'metadata'), 'must not be specified in a nested context'))
  }
}

const SHAPING: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  ['x-kubernetes-preserve-unknown-fields', 'false'],
  ['x-kubernetes-embedded-resource', 'false'],
  ['x-kubernetes-int-or-string', 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
]

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  return schema.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
}

function propertyPath(path: string, name: string): string {
  return keyPath(childPath(path, 'properties'), name)
}
