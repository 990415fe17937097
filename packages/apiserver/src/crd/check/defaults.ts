import { COST_BUDGET } from '@orrery/cel'
import { type JsonSchema, pruneUnknown, type SchemaNode, schemaTree, valueErrors } from '@orrery/cel/schema'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import {
  addAll,
  childPath,
  cloneJson,
  type FieldError,
  fieldInvalid,
  formatFieldError,
  isObject,
  jsonEqual,
  keyPath,
  setOwn,
} from '@orrery/kinds/values'
import { ConformError } from '../../schema/conform.js'
import { coerceEmbedded, coerceMetadata, embeddedErrors, resourceErrors } from '../embedded.js'
import { compileRules } from '../rules/compiled-rules.js'
import { partErrors } from '../rules/evaluate.js'

/** Builds the resource around a value at the current path. */
type Surround = (value: JsonValue) => JsonValue

const RESOURCE: Surround = (value) => {
  const object = isObject(value) ? { ...value } : {}
  return { kind: 'Validation', apiVersion: 'validation/v1', ...object }
}

interface DefaultScope {
  readonly insideMeta: boolean
  readonly surround: Surround
  readonly requirePruned: boolean
  /** The remaining CEL cost for all defaults together. */
  readonly budget: { left: number }
}

/** Returns the errors of defaults that their schema refuses or prunes. */
export function defaultErrors(schema: JsonSchema, path: string, requirePruned: boolean): FieldError[] {
  const root = schemaTree(schema)
  if (!root.defaultsBelow) return []
  const errors: FieldError[] = []
  const scope = { insideMeta: false, surround: RESOURCE, requirePruned, budget: { left: COST_BUDGET } }
  checkNode(root, true, path, scope, errors)
  return errors
}

/** Returns whether a schema has defaults that pruning would change. */
export function hasUnprunedDefaults(schema: JsonSchema): boolean {
  return isUnpruned(schemaTree(schema))
}

function isUnpruned(node: SchemaNode): boolean {
  if (!node.defaultsBelow) return false
  if (node.default !== undefined && pruneUnknown(cloneJson(node.default), node, node.embedded).length > 0) return true
  const children = [...node.properties.values(), node.items, node.additional]
  return children.some((child) => child !== undefined && isUnpruned(child))
}

function checkNode(node: SchemaNode, isRoot: boolean, path: string, scope: DefaultScope, errors: FieldError[]): void {
  if (!node.defaultsBelow || scope.budget.left < 0) return
  const isResource = isRoot || node.embedded
  const here: DefaultScope = isResource ? { ...scope, insideMeta: false, surround: RESOURCE } : scope
  if (node.default !== undefined) {
    const found = here.insideMeta ? metaDefaultErrors(node.default, here) : plainDefaultErrors(node, path, here)
    const at = childPath(path, 'default')
    if (found.length > 0)
      addAll(
        errors,
        found.map((error) => relocated(error, at, node.default as JsonValue, here)),
      )
    else addAll(errors, contentErrors(node, isResource, at, here))
  }
  if (node.items) {
    const surround: Surround = (value) => here.surround([value])
    checkNode(node.items, false, childPath(path, 'items'), { ...here, surround }, errors)
  }
  for (const [name, property] of node.properties) {
    const isMeta = isResource && (name === 'metadata' || name === 'apiVersion' || name === 'kind')
    const surround: Surround = (value) => {
      const object: JsonObject = {}
      setOwn(object, name, value)
      return here.surround(object)
    }
    const inner = { ...here, surround, insideMeta: here.insideMeta || isMeta }
    checkNode(property, false, keyPath(childPath(path, 'properties'), name), inner, errors)
  }
}

/** Reports errors of metadata for the default as a whole. */
function relocated(error: FieldError, at: string, value: JsonValue, scope: DefaultScope): FieldError {
  if (!scope.insideMeta) return error
  return fieldInvalid(at, value, `must result in valid metadata: ${formatFieldError(error)}`)
}

/** Validates a default for a part of metadata in the resulting metadata. */
function metaDefaultErrors(value: JsonValue, scope: DefaultScope): FieldError[] {
  const resource = scope.surround(cloneJson(value)) as JsonObject
  try {
    coerceMetadata(resource)
  } catch (error) {
    if (!(error instanceof ConformError)) throw error
    return [fieldInvalid('metadata', value, error.message)]
  }
  return resourceErrors(resource, '')
}

function plainDefaultErrors(node: SchemaNode, path: string, scope: DefaultScope): FieldError[] {
  const at = childPath(path, 'default')
  const value = node.default as JsonValue
  const errors: FieldError[] = []
  const pruned = cloneJson(value)
  pruneUnknown(pruned, node, node.embedded)
  if (scope.requirePruned && !jsonEqual(pruned, value)) {
    errors.push(fieldInvalid(at, value, 'must not have unknown fields'))
  }
  const coerced = cloneJson(value)
  try {
    coerceEmbedded(coerced, node, at, [])
  } catch (error) {
    if (!(error instanceof ConformError)) throw error
    return [...errors, fieldInvalid(at, value, error.message)]
  }
  return [...errors, ...embeddedErrors(coerced, node, at)]
}

function contentErrors(node: SchemaNode, isResource: boolean, at: string, scope: DefaultScope): FieldError[] {
  const value = node.default as JsonValue
  const errors = valueErrors(node, value, at, undefined)
  const rules = errors.length === 0 ? compileRules(node, isResource) : undefined
  if (!rules) return errors
  const unchanged = partErrors(rules, node, value, value, at, scope.budget.left)
  if (unchanged.errors.length > 0) return unchanged.errors
  const created = partErrors(rules, node, value, undefined, at, scope.budget.left)
  scope.budget.left = Math.min(unchanged.budget, created.budget)
  return created.errors
}
