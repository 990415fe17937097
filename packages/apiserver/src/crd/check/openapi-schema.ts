import { additionalOf, defaultOf, type JsonSchema } from '@orrery/cel/schema'
import {
  addAll,
  childPath,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  indexPath,
  keyPath,
} from '@orrery/kinds/values'
import { type RuleScope, ruleErrors, ruleTextErrors } from './cel-rules.js'
import { isSchema } from './schemawalk.js'
import { listAndMapErrors } from './topology.js'

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string']
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion'])

/** Rules that became stricter over time do not apply to definitions that already violated them. */
export interface Leniency {
  readonly unknownTypes: boolean
  readonly nonAtomicSets: boolean
  readonly looseListKeys: boolean
  /** Whether to skip the limit on the estimated cost of each CEL rule, since the schema was accepted before. */
  readonly ruleCost: boolean
}

/** What the place of a schema in its parents means for it. */
export interface SchemaScope {
  readonly leniency: Leniency
  /** Why defaults are forbidden here; undefined if they are allowed. */
  readonly noDefaults: string | undefined
  readonly insideMeta: boolean
  /** The outermost list whose items cannot be correlated after an update: `oldSelf` is not available below it. */
  readonly uncorrelatable: string | undefined
  /** Undefined where CEL rules are not compiled: below logical junctors, and if the schema is not structural. */
  readonly rules: RuleScope | undefined
}

/** CEL errors are kept separately: they are reported only if the rest of the schema is valid. */
export interface SchemaErrors {
  readonly schema: FieldError[]
  readonly cel: FieldError[]
}

/** Validates a schema and everything inside it. */
export function schemaErrors(schema: JsonSchema, path: string, isRoot: boolean, scope: SchemaScope): SchemaErrors {
  const errors: SchemaErrors = { schema: [], cel: [] }
  const descend = (inner: JsonSchema, at: string, innerScope: SchemaScope) => {
    const found = schemaErrors(inner, at, false, innerScope)
    addAll(errors.schema, found.schema)
    addAll(errors.cel, found.cel)
  }
  checkKeywords(schema, path, scope, errors.schema)
  checkAdditional(schema, path, scope, errors.schema, descend)
  checkProperties(schema, path, isRoot, scope, descend)
  checkJunctors(schema, path, { ...scope, rules: undefined }, descend)
  checkItems(schema, path, scope, descend)
  checkPreserve(schema, path, errors.schema)
  addAll(errors.schema, listAndMapErrors(schema, path, scope.leniency))
  const rules = schema['x-kubernetes-validations'] ?? []
  if (rules.length === 0) return errors
  addAll(errors.schema, ruleTextErrors(schema, rules, childPath(path, 'x-kubernetes-validations')))
  if (errors.schema.length === 0 && scope.rules) {
    addAll(errors.cel, ruleErrors(schema, path, scope.rules, scope.uncorrelatable, scope.leniency.ruleCost))
  }
  return errors
}

type Descend = (inner: JsonSchema, path: string, scope: SchemaScope) => void

function checkKeywords(schema: JsonSchema, path: string, scope: SchemaScope, errors: FieldError[]): void {
  if (schema.type && !scope.leniency.unknownTypes && !TYPES.includes(schema.type)) {
    errors.push(fieldNotSupported(childPath(path, 'type'), schema.type, TYPES))
  }
  if (defaultOf(schema) !== undefined && scope.noDefaults !== undefined) {
    errors.push(fieldForbidden(childPath(path, 'default'), `must not be set ${scope.noDefaults}`))
  }
  if (schema.id) errors.push(fieldForbidden(childPath(path, 'id'), 'id is not supported'))
  for (const keyword of ['additionalItems', 'patternProperties', 'definitions', 'dependencies', '$ref'] as const) {
    if (schema[keyword] === undefined || isEmptyMap(schema[keyword])) continue
    errors.push(fieldForbidden(childPath(path, keyword), `${keyword} is not supported`))
  }
  if (schema.type === 'null') {
    const detail = 'type cannot be set to null, use nullable as an alternative'
    errors.push(fieldForbidden(childPath(path, 'type'), detail))
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(fieldForbidden(childPath(path, 'items'), 'items must be a schema object and not an array'))
  }
  if (scope.insideMeta && schema['x-kubernetes-embedded-resource']) {
    const detail = 'must not be used inside of resource meta'
    errors.push(fieldForbidden(childPath(path, 'x-kubernetes-embedded-resource'), detail))
  }
  if (schema.uniqueItems) {
    const detail = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic'
    errors.push(fieldForbidden(childPath(path, 'uniqueItems'), detail))
  }
}

function isEmptyMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Properties make a struct, additionalProperties make a map: a schema cannot have both. */
function checkAdditional(
  schema: JsonSchema,
  path: string,
  scope: SchemaScope,
  errors: FieldError[],
  descend: Descend,
): void {
  if (schema.additionalProperties === undefined) return
  const at = childPath(path, 'additionalProperties')
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0
  if (hasProperties && schema.additionalProperties !== true) {
    errors.push(fieldForbidden(at, 'additionalProperties and properties are mutual exclusive'))
  }
  const inner = additionalOf(schema)
  if (!inner) return
  const noDefaults = scope.insideMeta ? 'inside additionalProperties applying to object metadata' : scope.noDefaults
  descend(inner, at, { ...scope, noDefaults, rules: scope.rules?.inside(schema, inner) })
}

function checkProperties(
  schema: JsonSchema,
  path: string,
  isRoot: boolean,
  scope: SchemaScope,
  descend: Descend,
): void {
  const isResource = isRoot || schema['x-kubernetes-embedded-resource'] === true
  const mapType = schema['x-kubernetes-map-type'] ?? 'granular'
  const correlatable = mapType === 'granular' || mapType === 'atomic'
  const uncorrelatable = scope.uncorrelatable ?? (correlatable ? undefined : path)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = isResource && META_FIELDS.has(name)
    descend(property, keyPath(childPath(path, 'properties'), name), {
      ...scope,
      uncorrelatable,
      insideMeta: scope.insideMeta || isMeta,
      noDefaults: isMeta && isRoot ? `in top-level ${name}` : scope.noDefaults,
      rules: scope.rules?.inside(schema, property),
    })
  }
}

function checkJunctors(schema: JsonSchema, path: string, scope: SchemaScope, descend: Descend): void {
  if (schema.not) descend(schema.not, childPath(path, 'not'), scope)
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [index, branch] of (schema[junctor] ?? []).entries()) {
      descend(branch, indexPath(childPath(path, junctor), index), scope)
    }
  }
  for (const [name, definition] of Object.entries(schema.definitions ?? {})) {
    descend(definition, keyPath(childPath(path, 'definitions'), name), scope)
  }
  for (const [name, dependency] of Object.entries(schema.dependencies ?? {})) {
    if (isSchema(dependency)) descend(dependency, keyPath(childPath(path, 'dependencies'), name), scope)
  }
}

/** Only items of lists with type map can be correlated after an update. */
function checkItems(schema: JsonSchema, path: string, scope: SchemaScope, descend: Descend): void {
  if (schema.items === undefined) return
  const uncorrelatable = scope.uncorrelatable ?? (schema['x-kubernetes-list-type'] === 'map' ? undefined : path)
  const at = childPath(path, 'items')
  if (Array.isArray(schema.items)) {
    for (const [index, item] of schema.items.entries()) {
      descend(item, indexPath(at, index), { ...scope, uncorrelatable, rules: undefined })
    }
  } else {
    descend(schema.items, at, { ...scope, uncorrelatable, rules: scope.rules?.inside(schema, schema.items) })
  }
}

function checkPreserve(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (schema['x-kubernetes-preserve-unknown-fields'] !== false) return
  const at = childPath(path, 'x-kubernetes-preserve-unknown-fields')
  errors.push(fieldInvalid(at, false, 'must be true or undefined'))
}

/** Returns whether a schema has a type that OpenAPI does not have. */
export function hasUnknownType(schema: JsonSchema): boolean {
  return schema.type !== undefined && schema.type !== '' && !TYPES.includes(schema.type)
}
