import type { JsonSchema } from '@orrery/cel/schema'
import { addAll, childPath, type FieldError, fieldForbidden, fieldInvalid } from '@orrery/kinds/values'
import { RuleScope } from './cel-rules.js'
import { defaultErrors } from './defaults.js'
import { type Leniency, schemaErrors } from './openapi-schema.js'
import { schemaHas } from './schemawalk.js'
import { structuralErrors } from './structural.js'

/** The keywords allowed at the root if the status subresource is enabled, by their names in error messages. */
const ROOT_KEYWORDS: readonly (readonly [keyof JsonSchema, string])[] = [
  ['description', 'Description'],
  ['type', 'Type'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['properties', 'Properties'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-validations', 'XValidations'],
]

export interface RootSchemaOptions {
  readonly leniency: Leniency
  /** False only for an update of a definition whose schema was not structural before. */
  readonly requireStructural: boolean
  readonly requirePrunedDefaults: boolean
}

/** Returns the errors of the schema of a version. `path` is the path of its `schema` field. */
export function rootSchemaErrors(
  schema: JsonSchema,
  path: string,
  hasStatus: boolean,
  options: RootSchemaOptions,
): FieldError[] {
  const at = childPath(path, 'openAPIV3Schema')
  const errors: FieldError[] = []
  if (hasStatus) checkRootKeywords(schema, at, errors)
  if (schema.nullable) errors.push(fieldForbidden(`${at}.nullable`, 'nullable cannot be true at the root'))
  const unsupported = unsupportedKeyword(schema)
  const isStructured = options.requireStructural && unsupported === undefined
  const early = isStructured ? structureErrors(schema, at, options) : []
  addAll(errors, early)
  const rules = isStructured && early.length === 0 ? RuleScope.root() : undefined
  const scope = {
    noDefaults: undefined,
    insideMeta: false,
    uncorrelatable: undefined,
    leniency: options.leniency,
    rules,
  }
  const found = schemaErrors(schema, at, true, scope)
  addAll(errors, found.schema)
  addAll(errors, found.cel)
  if (rules) addAll(errors, rules.totalCostErrors(at))
  if (errors.length === 0 && unsupported !== undefined) {
    errors.push(fieldInvalid(at, '', `OpenAPIV3Schema '${unsupported}' is not supported`))
  }
  return errors
}

/** Returns a keyword that structural schemas do not support: with one, the structure is not validated. */
function unsupportedKeyword(schema: JsonSchema): string | undefined {
  let found: string | undefined
  schemaHas(schema, (inner) => {
    found ??= unsupportedIn(inner)
    return found !== undefined
  })
  return found
}

function unsupportedIn(schema: JsonSchema): string | undefined {
  if (schema.id) return 'id'
  if (schema.$schema) return 'schema'
  if (schema.$ref) return '$ref'
  for (const keyword of ['patternProperties', 'dependencies', 'definitions'] as const) {
    if (Object.keys(schema[keyword] ?? {}).length > 0) return keyword
  }
  if (schema.additionalItems !== undefined) return 'additionalItems'
  if (Array.isArray(schema.items)) return 'items'
  return schema['x-kubernetes-preserve-unknown-fields'] === false ? 'x-kubernetes-preserve-unknown-fields' : undefined
}

/** Defaults can be validated only with a structural schema. */
function structureErrors(schema: JsonSchema, path: string, options: RootSchemaOptions): FieldError[] {
  const errors = structuralErrors(schema, path)
  return errors.length > 0 ? errors : defaultErrors(schema, path, options.requirePrunedDefaults)
}

function checkRootKeywords(schema: JsonSchema, path: string, errors: FieldError[]): void {
  if (schema.type && schema.type !== 'object') {
    const detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
    errors.push(fieldInvalid(`${path}.type`, schema.type, detail))
    return
  }
  const keywords = Object.entries(schema).filter(
    ([, value]) => value !== undefined && value !== null && value !== false,
  )
  const allowed = new Set<string>(ROOT_KEYWORDS.map(([keyword]) => keyword))
  if (keywords.every(([keyword]) => allowed.has(keyword))) return
  const names = ROOT_KEYWORDS.map(([, name]) => name).join(' ')
  const detail = `only [${names}] fields are allowed at the root of the schema if the status subresource is enabled`
  errors.push(fieldInvalid(path, schema, detail))
}
