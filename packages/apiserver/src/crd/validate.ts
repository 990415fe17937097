import type { JsonSchema } from '@orrery/cel/schema'
import {
  type FieldError,
  fieldInvalid,
  fieldRequired,
  isConditionTrue,
  isDNS1123Subdomain,
  jsonEqual,
  keyPath,
} from '@orrery/kinds/values'
import { APPROVAL_ANNOTATION, approvalOf, isProtectedGroup } from './approval.js'
import { hasKnownReviewVersion, isCaBundle } from './check/conversion.js'
import { hasUnprunedDefaults } from './check/defaults.js'
import { nameErrors } from './check/names.js'
import { hasUnknownType } from './check/openapi-schema.js'
import { crdHas } from './check/schemawalk.js'
import { immutabilityErrors, preserveErrors, type SpecOptions, specErrors } from './check/spec.js'
import { structuralErrors } from './check/structural.js'
import { hasTooManySelectableFields } from './check/subresources.js'
import { listKeyErrors, nonAtomicItems } from './check/topology.js'
import { type Crd, type CrdVersion, versionOf } from './types.js'

const NONE: ReadonlySet<string> = new Set()

const NEW_CRD: SpecOptions = {
  schema: { unknownTypes: false, nonAtomicSets: false, looseListKeys: false },
  // The CA bundle of a definition that is not established is reported by its Established condition.
  conversion: { unknownReviewVersions: false, badCaBundle: true },
  requireSchema: true,
  requireStructural: true,
  requirePrunedDefaults: true,
  unchangedSchemas: NONE,
  manySelectableFields: NONE,
}

/** Returns the errors of a new, defaulted definition. The caller validates metadata except for the name. */
export function validateCrd(crd: Crd): FieldError[] {
  return [
    ...crdNameErrors(crd),
    ...specErrors(crd, NEW_CRD),
    ...validateCrdStatus(crd),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, undefined),
    ...preserveErrors(crd, undefined),
  ]
}

/** Returns the errors of an update. Unchanged parts that were accepted before are accepted again. */
export function validateCrdUpdate(crd: Crd, old: Crd): FieldError[] {
  return [
    ...specErrors(crd, updateOptions(crd, old)),
    ...immutabilityErrors(crd, old, isConditionTrue(old.status?.conditions, 'Established')),
    ...validateCrdStatus(crd),
    ...storedVersionErrors(crd),
    ...approvalErrors(crd, old),
    ...preserveErrors(crd, old),
  ]
}

/** Returns the errors of a status update. */
export function validateCrdStatus(crd: Crd): FieldError[] {
  return nameErrors(crd.status?.acceptedNames ?? {}, 'status.acceptedNames')
}

function crdNameErrors(crd: Crd): FieldError[] {
  const name = crd.metadata.name ?? ''
  if (name === '') return [fieldRequired('metadata.name', 'name or generateName is required')]
  const problems = [...isDNS1123Subdomain(name)]
  if (name !== `${crd.spec.names.plural ?? ''}.${crd.spec.group}`) {
    problems.push('must be spec.names.plural+"."+spec.group')
  }
  return problems.map((problem) => fieldInvalid('metadata.name', name, problem))
}

/** Every version in which objects may be stored must stay in the spec. */
function storedVersionErrors(crd: Crd): FieldError[] {
  const path = 'status.storedVersions'
  const stored = crd.status?.storedVersions ?? []
  if (stored.length === 0) return [fieldInvalid(path, null, 'must have at least one stored version')]
  const errors: FieldError[] = []
  for (const version of crd.spec.versions) {
    if (version.storage && !stored.includes(version.name)) {
      errors.push(fieldInvalid(path, stored, `must have the storage version ${version.name}`))
    }
  }
  for (const [index, name] of stored.entries()) {
    if (versionOf(crd, name)) continue
    const until = `a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until ${until}`
    errors.push(fieldInvalid(`${path}[${index}]`, name, detail))
  }
  return errors
}

function approvalErrors(crd: Crd, old: Crd | undefined): FieldError[] {
  if (!isProtectedGroup(crd.spec.group)) return []
  const { state, reason } = approvalOf(crd)
  if (old && approvalOf(old).state === state) return []
  const path = keyPath('metadata.annotations', APPROVAL_ANNOTATION)
  if (state === 'Missing') return [fieldRequired(path, reason)]
  if (state === 'Invalid') return [fieldInvalid(path, crd.metadata.annotations?.[APPROVAL_ANNOTATION], reason)]
  return []
}

function updateOptions(crd: Crd, old: Crd): SpecOptions {
  const conversion = old.spec.conversion
  const reviewVersions = conversion?.webhook?.conversionReviewVersions ?? []
  return {
    schema: {
      unknownTypes: crdHas(old, hasUnknownType),
      nonAtomicSets: crdHas(old, (schema) => nonAtomicItems(schema) !== undefined),
      looseListKeys: crdHas(old, (schema) => listKeyErrors(schema, '').length > 0),
    },
    conversion: {
      unknownReviewVersions: reviewVersions.length > 0 && !hasKnownReviewVersion(reviewVersions),
      badCaBundle: mayHaveBadCaBundle(old),
    },
    requireSchema: schemasOf(old).length === old.spec.versions.length,
    requireStructural: schemasOf(old).every((schema) => structuralErrors(schema, '').length === 0),
    requirePrunedDefaults: !schemasOf(old).some(hasUnprunedDefaults),
    unchangedSchemas: namesWhere(crd, old, (version, before) => jsonEqual(version.schema, before.schema)),
    manySelectableFields: namesWhere(
      crd,
      old,
      (version, before) =>
        hasTooManySelectableFields(before.selectableFields) &&
        jsonEqual(version.selectableFields, before.selectableFields),
    ),
  }
}

function schemasOf(crd: Crd): JsonSchema[] {
  return crd.spec.versions.map((version) => version.schema?.openAPIV3Schema).filter((schema) => schema !== undefined)
}

function mayHaveBadCaBundle(old: Crd): boolean {
  if (!isConditionTrue(old.status?.conditions, 'Established')) return true
  const bundle = old.spec.conversion?.webhook?.clientConfig?.caBundle
  return bundle !== undefined && bundle !== '' && !isCaBundle(bundle)
}

function namesWhere(
  crd: Crd,
  old: Crd,
  holds: (version: CrdVersion, before: CrdVersion) => boolean,
): ReadonlySet<string> {
  const names = crd.spec.versions.filter((version) => {
    const before = versionOf(old, version.name)
    return before !== undefined && holds(version, before)
  })
  return new Set(names.map((version) => version.name))
}
