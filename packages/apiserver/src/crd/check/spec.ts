import { defaultOf, type JsonSchema } from '@orrery/cel/schema'
import type { JsonValue } from '@orrery/kinds'
import {
  addAll,
  childPath,
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  jsonEqual,
} from '@orrery/kinds/values'
import type { Crd, CrdSpec, CrdVersion } from '../types.js'
import { type ConversionLeniency, conversionErrors } from './conversion.js'
import { nameErrors } from './names.js'
import type { Leniency } from './openapi-schema.js'
import { rootSchemaErrors } from './root-schema.js'
import { crdHas } from './schemawalk.js'
import { columnErrors, selectableFieldErrors, subresourceErrors } from './subresources.js'

/** How strictly a definition is validated: fully if it is new, and no stricter than before if it is updated. */
export interface SpecOptions {
  readonly schema: Omit<Leniency, 'ruleCost'>
  readonly conversion: ConversionLeniency
  readonly requireSchema: boolean
  readonly requireStructural: boolean
  readonly requirePrunedDefaults: boolean
  /** Versions with an unchanged schema. */
  readonly unchangedSchemas: ReadonlySet<string>
  /** Versions that already had more selectable fields than allowed, with the same fields. */
  readonly manySelectableFields: ReadonlySet<string>
}

/** Returns the errors of the spec of a definition. */
export function specErrors(crd: Crd, options: SpecOptions): FieldError[] {
  const spec = crd.spec
  const errors: FieldError[] = []
  checkGroup(spec.group, errors)
  checkScope(spec.scope, errors)
  if (options.requireSchema) checkSchemaPresence(spec, errors)
  if (spec.preserveUnknownFields && crdHas(crd, (schema) => defaultOf(schema) !== undefined)) {
    const detail = 'must be false in order to use defaults in the schema'
    errors.push(fieldInvalid('spec.preserveUnknownFields', true, detail))
  }
  const shared = sharedFields(spec)
  checkVersions(spec, shared, options, errors)
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!spec.names[field]) errors.push(fieldRequired(`spec.names.${field}`))
  }
  addAll(errors, nameErrors(spec.names, 'spec.names'))
  checkShared(spec, shared, options, errors)
  if (!spec.conversion) return errors
  if (spec.preserveUnknownFields && spec.conversion.strategy !== 'None') {
    const detail = 'must be None if spec.preserveUnknownFields is true'
    errors.push(fieldInvalid('spec.conversion.strategy', spec.conversion.strategy, detail))
  }
  addAll(errors, conversionErrors(spec.conversion, 'spec.conversion', options.conversion))
  return errors
}

function checkGroup(group: string | undefined, errors: FieldError[]): void {
  if (!group) {
    errors.push(fieldRequired('spec.group'))
    return
  }
  const problems = isDNS1123Subdomain(group)
  if (problems.length > 0) errors.push(fieldInvalid('spec.group', group, problems.join(',')))
  else if (!group.includes('.')) {
    errors.push(fieldInvalid('spec.group', group, 'should be a domain with at least one dot'))
  }
}

function checkScope(scope: string | undefined, errors: FieldError[]): void {
  if (!scope) errors.push(fieldRequired('spec.scope'))
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    errors.push(fieldNotSupported('spec.scope', scope, ['Cluster', 'Namespaced']))
  }
}

function checkSchemaPresence(spec: CrdSpec, errors: FieldError[]): void {
  for (const [index, version] of spec.versions.entries()) {
    if (version.schema?.openAPIV3Schema) continue
    errors.push(fieldRequired(`${indexPath('spec.versions', index)}.schema.openAPIV3Schema`))
  }
}

function checkVersions(spec: CrdSpec, shared: SharedFields, options: SpecOptions, errors: FieldError[]): void {
  // Errors name the first version `spec.version`, as in earlier API versions.
  checkVersionName(spec.versions[0]?.name, 'spec.version', errors)
  for (const [index, version] of spec.versions.entries()) {
    const path = indexPath('spec.versions', index)
    checkVersionName(version.name, childPath(path, 'name'), errors)
    for (const problem of deprecationProblems(version)) {
      errors.push(fieldInvalid(childPath(path, 'deprecationWarning'), version.deprecationWarning, problem))
    }
    checkOwn(spec, shared, version, path, options, errors)
  }
  if (new Set(spec.versions.map((version) => version.name)).size < spec.versions.length) {
    errors.push(fieldInvalid('spec.versions', shownVersions(spec, shared), 'must contain unique version names'))
  }
  if (spec.versions.filter((version) => version.storage).length !== 1) {
    const detail = 'must have exactly one version marked as storage version'
    errors.push(fieldInvalid('spec.versions', shownVersions(spec, shared), detail))
  }
}

function checkVersionName(name: string | undefined, path: string, errors: FieldError[]): void {
  if (name === undefined) return
  const problems = isDNS1035Label(name)
  if (problems.length > 0) errors.push(fieldInvalid(path, name, problems.join(',')))
}

/** Validates the fields of a version that it does not share with all others. */
function checkOwn(
  spec: CrdSpec,
  shared: SharedFields,
  version: CrdVersion,
  path: string,
  options: SpecOptions,
  errors: FieldError[],
): void {
  const schema = version.schema?.openAPIV3Schema
  if (schema && !shared.has('schema')) {
    const hasStatus = version.subresources?.status !== undefined
    addAll(errors, checkSchema(schema, childPath(path, 'schema'), hasStatus, spec, version.name, options))
  }
  if (version.subresources && !shared.has('subresources')) {
    addAll(errors, subresourceErrors(version.subresources, childPath(path, 'subresources')))
  }
  if (!shared.has('additionalPrinterColumns')) {
    for (const [index, column] of (version.additionalPrinterColumns ?? []).entries()) {
      addAll(errors, columnErrors(column, indexPath(childPath(path, 'additionalPrinterColumns'), index)))
    }
  }
  if (version.selectableFields?.length && !shared.has('selectableFields')) {
    const at = childPath(path, 'selectableFields')
    const allowMany = options.manySelectableFields.has(version.name)
    addAll(errors, selectableFieldErrors(version.selectableFields, schema ?? {}, at, allowMany))
  }
}

/** Fields with equal values in all versions have a common path in errors, also for a single version. */
function checkShared(spec: CrdSpec, shared: SharedFields, options: SpecOptions, errors: FieldError[]): void {
  const first = spec.versions[0]
  if (!first) return
  const schema = first.schema?.openAPIV3Schema
  if (schema && shared.has('schema')) {
    const hasStatus = spec.versions.some((version) => version.subresources?.status !== undefined)
    addAll(errors, checkSchema(schema, 'spec.validation', hasStatus, spec, first.name, options))
  }
  if (first.subresources && shared.has('subresources')) {
    addAll(errors, subresourceErrors(first.subresources, 'spec.subresources'))
  }
  if (shared.has('additionalPrinterColumns')) {
    for (const [index, column] of (first.additionalPrinterColumns ?? []).entries()) {
      addAll(errors, columnErrors(column, indexPath('spec.additionalPrinterColumns', index)))
    }
  }
  if (first.selectableFields?.length && shared.has('selectableFields')) {
    const allowMany = options.manySelectableFields.has(first.name)
    addAll(errors, selectableFieldErrors(first.selectableFields, schema ?? {}, 'spec.selectableFields', allowMany))
  }
}

function checkSchema(
  schema: JsonSchema,
  path: string,
  hasStatus: boolean,
  spec: CrdSpec,
  version: string,
  options: SpecOptions,
): FieldError[] {
  return rootSchemaErrors(schema, path, hasStatus, {
    leniency: { ...options.schema, ruleCost: options.unchangedSchemas.has(version) },
    requireStructural: options.requireStructural || spec.preserveUnknownFields !== true,
    requirePrunedDefaults: options.requirePrunedDefaults,
  })
}

type SharedFields = ReadonlySet<keyof CrdVersion>

/** Returns the fields that are equal in all versions, or missing in all. */
function sharedFields({ versions }: CrdSpec): SharedFields {
  const fields = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const
  const [first] = versions
  if (first === undefined) return new Set(fields)
  return new Set(
    fields.filter((field) => {
      const value = fieldValue(first, field)
      return versions.every((version) => jsonEqual(fieldValue(version, field), value))
    }),
  )
}

function fieldValue(version: CrdVersion, field: keyof CrdVersion): JsonValue | undefined {
  const value = version[field] as JsonValue | undefined
  return Array.isArray(value) && value.length === 0 ? undefined : value
}

function deprecationProblems(version: CrdVersion): string[] {
  const warning = version.deprecationWarning
  if (warning === undefined) return []
  if (!version.deprecated) return ['can only be set for deprecated versions']
  const problems: string[] = []
  if (Buffer.byteLength(warning) > 256) problems.push('must be <= 256 characters long')
  if (warning === '') problems.push('must not be an empty string')
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning)
  if (unprintable) {
    const index = Buffer.byteLength(warning.slice(0, unprintable.index))
    const what = 'must only contain printable UTF-8 characters'
    problems.push(`${what}; non-printable character found at index ${index}`)
  }
  return problems
}

/** Formats the versions as kube-apiserver does in errors. */
function shownVersions(spec: CrdSpec, shared: SharedFields): unknown[] {
  return spec.versions.map((version) => ({
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema: shared.has('schema') ? null : (version.schema ?? null),
    Subresources: shared.has('subresources') ? null : (version.subresources ?? null),
    AdditionalPrinterColumns: shared.has('additionalPrinterColumns')
      ? null
      : (version.additionalPrinterColumns ?? null),
    SelectableFields: shared.has('selectableFields') ? null : (version.selectableFields ?? null),
  }))
}

/** Returns the errors of changes to immutable fields: the group and plural always, kind and scope once established. */
export function immutabilityErrors(crd: Crd, old: Crd, established: boolean): FieldError[] {
  const errors: FieldError[] = []
  const check = (path: string, value: string | undefined, before: string | undefined) => {
    if ((value ?? '') !== (before ?? '')) errors.push(fieldInvalid(path, value ?? '', 'field is immutable'))
  }
  if (established) {
    check('spec.scope', crd.spec.scope, old.spec.scope)
    check('spec.names.kind', crd.spec.names.kind, old.spec.names.kind)
  }
  check('spec.group', crd.spec.group, old.spec.group)
  check('spec.names.plural', crd.spec.names.plural, old.spec.names.plural)
  return errors
}

/** `preserveUnknownFields: true` is refused unless it was already set. */
export function preserveErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  if (!crd.spec.preserveUnknownFields || old?.spec.preserveUnknownFields) return []
  const detail =
    'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead'
  return [fieldInvalid('spec.preserveUnknownFields', true, detail)]
}
