import type { JsonSchema } from '@orrery/cel/schema'
import type { CustomResourceColumnDefinition, CustomResourceSubresources } from '@orrery/kinds/apiextensions'
import {
  childPath,
  type FieldError,
  fieldDuplicate,
  fieldInvalid,
  fieldRequired,
  fieldTooMany,
  indexPath,
} from '@orrery/kinds/values'
import { FieldPathError, followFieldPath, type SchemaAtPath } from '../field-path.js'

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string']
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password']
const SELECTABLE_TYPES = ['string', 'boolean', 'integer']
const MAX_SELECTABLE_FIELDS = 8

/** Returns the errors of the paths of the scale subresource. */
export function subresourceErrors(subresources: CustomResourceSubresources, path: string): FieldError[] {
  const scale = subresources.scale
  if (!scale) return []
  const errors: FieldError[] = []
  checkScalePath(scale.specReplicasPath, ['.spec.'], 'under .spec', childPath(path, 'scale.specReplicasPath'), errors)
  const statusPath = childPath(path, 'scale.statusReplicasPath')
  checkScalePath(scale.statusReplicasPath, ['.status.'], 'under .status', statusPath, errors)
  if (scale.labelSelectorPath) {
    const at = childPath(path, 'scale.labelSelectorPath')
    checkScalePath(scale.labelSelectorPath, ['.spec.', '.status.'], 'under either .spec or .status', at, errors)
  }
  return errors
}

function checkScalePath(
  jsonPath: string | undefined,
  prefixes: readonly string[],
  where: string,
  path: string,
  errors: FieldError[],
): void {
  if (!jsonPath) errors.push(fieldRequired(path))
  else if (!jsonPath.startsWith('.')) errors.push(notSimple(jsonPath, path))
  else if (!prefixes.some((prefix) => jsonPath.startsWith(prefix))) {
    errors.push(fieldInvalid(path, jsonPath, `should be a json path ${where}`))
  }
}

function notSimple(jsonPath: string, path: string): FieldError {
  return fieldInvalid(path, jsonPath, 'must be a simple json path starting with .')
}

/** Returns the errors of a printer column. */
export function columnErrors(column: CustomResourceColumnDefinition, path: string): FieldError[] {
  const errors: FieldError[] = []
  if (!column.name) errors.push(fieldRequired(childPath(path, 'name')))
  const typePath = childPath(path, 'type')
  const oneOf = `must be one of ${COLUMN_TYPES.join(',')}`
  if (!column.type) errors.push(fieldRequired(typePath, oneOf))
  else if (!COLUMN_TYPES.includes(column.type)) errors.push(fieldInvalid(typePath, column.type, oneOf))
  if (column.format && !COLUMN_FORMATS.includes(column.format)) {
    const detail = `must be one of ${COLUMN_FORMATS.join(',')}`
    errors.push(fieldInvalid(childPath(path, 'format'), column.format, detail))
  }
  const jsonPath = childPath(path, 'JSONPath')
  if (!column.jsonPath) errors.push(fieldRequired(jsonPath))
  else if (!column.jsonPath.startsWith('.')) errors.push(notSimple(column.jsonPath, jsonPath))
  return errors
}

/** Returns the errors of selectable fields. */
export function selectableFieldErrors(
  fields: readonly { jsonPath: string }[],
  schema: JsonSchema,
  path: string,
  allowTooMany: boolean,
): FieldError[] {
  const errors: FieldError[] = []
  const seen = new Set<string>()
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = childPath(indexPath(path, index), 'jsonPath')
    if (!jsonPath) {
      errors.push(fieldRequired(at))
      continue
    }
    const found = follow(jsonPath, schema)
    if (found instanceof FieldPathError) {
      errors.push(fieldInvalid(at, jsonPath, `is an invalid path: ${found.message}`))
      continue
    }
    if (found.path === 'metadata' || found.path.startsWith('metadata.')) {
      errors.push(fieldInvalid(at, jsonPath, 'must not point to fields in metadata'))
    }
    if (!SELECTABLE_TYPES.includes(found.schema.type ?? '')) {
      const types = 'must point to a field of type string, boolean or integer.'
      const detail = `${types} Enum string fields and strings with formats are allowed.`
      errors.push(fieldInvalid(at, jsonPath, detail))
    }
    if (seen.has(found.path)) errors.push(fieldDuplicate(at, jsonPath))
    seen.add(found.path)
  }
  if (seen.size > MAX_SELECTABLE_FIELDS && !allowTooMany) {
    errors.push(fieldTooMany(path, seen.size, MAX_SELECTABLE_FIELDS))
  }
  return errors
}

function follow(jsonPath: string, schema: JsonSchema): SchemaAtPath | FieldPathError {
  try {
    return followFieldPath(jsonPath, schema, false)
  } catch (error) {
    if (error instanceof FieldPathError) return error
    throw error
  }
}

/** Returns whether there are more selectable fields than allowed. */
export function hasTooManySelectableFields(fields: readonly { jsonPath: string }[] | undefined): boolean {
  return (fields?.length ?? 0) > MAX_SELECTABLE_FIELDS
}
