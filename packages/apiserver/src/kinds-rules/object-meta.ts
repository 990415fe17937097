import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '@orrery/kinds'
import {
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  indexPath,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isPathSegmentName,
  isPathSegmentPrefix,
  isQualifiedName,
  parseGroupVersion,
  withoutTrailingDash,
} from '@orrery/kinds/values'
import { type Format, IMMUTABLE, NOT_NEGATIVE, reportFormat } from './check.js'
import { checkAnnotations, checkLabels } from './labels.js'
import { parseIp } from './network.js'

/** The name rule of a kind. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'pathSegment' | 'ip' | 'any'

export interface ObjectMetaRules {
  readonly namespaced: boolean
  readonly nameRule: NameRule
  /** The path of the metadata: `metadata` unless it is in a template. */
  readonly path?: string
  /** Finalizers without a domain must be those of Kubernetes: true for most built-in kinds. */
  readonly knownFinalizers?: boolean
}

const FORMATS: Readonly<Record<NameRule, Format>> = {
  subdomain: isDNS1123Subdomain,
  label: isDNS1123Label,
  label1035: isDNS1035Label,
  pathSegment: isPathSegmentName,
  ip: (name) => (parseIp(name) === undefined ? ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'] : []),
  any: () => [],
}

const STANDARD_FINALIZERS: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion']
const FIELD_MANAGER_MAX = 128
const SUBRESOURCE_NAME_MAX = 256

/** Returns the errors in the metadata of a new object. A generated name is already set. */
export function validateObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules): FieldError[] {
  return collectFieldErrors((errors) => checkObjectMeta(meta, rules, errors))
}

/** Adds the errors in the metadata of a new object. Paths of absent fields are not even made. */
export function checkObjectMeta(meta: ObjectMeta, rules: ObjectMetaRules, errors: FieldError[]): void {
  const at = rules.path ?? 'metadata'
  checkNames(meta, rules, at, errors)
  checkNamespace(meta, rules.namespaced, at, errors)
  if ((meta.generation ?? 0) < 0) errors.push(fieldInvalid(childPath(at, 'generation'), meta.generation, NOT_NEGATIVE))
  const { labels, annotations, ownerReferences, finalizers, managedFields } = meta
  if (labels) checkLabels(labels, childPath(at, 'labels'), errors)
  if (annotations) checkAnnotations(annotations, childPath(at, 'annotations'), errors)
  if (ownerReferences) checkOwners(ownerReferences, childPath(at, 'ownerReferences'), errors)
  if (finalizers) checkFinalizers(finalizers, childPath(at, 'finalizers'), errors)
  if (managedFields) checkManagedFields(managedFields, childPath(at, 'managedFields'), errors)
  if (finalizers && rules.knownFinalizers) checkKnownFinalizers(finalizers, childPath(at, 'finalizers'), errors)
}

/** Returns the errors in an update of metadata. Missing server-owned fields are already filled in. */
export function validateObjectMetaUpdate(meta: ObjectMeta, old: ObjectMeta, knownFinalizers = false): FieldError[] {
  return collectFieldErrors((errors) => checkObjectMetaUpdate(meta, old, knownFinalizers, errors))
}

function checkObjectMetaUpdate(
  meta: ObjectMeta,
  old: ObjectMeta,
  knownFinalizers: boolean,
  errors: FieldError[],
): void {
  const at = 'metadata'
  if (old.deletionTimestamp !== undefined) checkNoNewFinalizers(meta, old, errors)
  const generation = meta.generation ?? 0
  if (generation < 0) errors.push(fieldInvalid('metadata.generation', generation, NOT_NEGATIVE))
  if (meta.generation !== undefined && generation < (old.generation ?? 0)) {
    errors.push(fieldInvalid('metadata.generation', generation, 'must not be decremented'))
  }
  for (const name of ['name', 'namespace'] as const) {
    if ((meta[name] ?? '') !== (old[name] ?? ''))
      errors.push(fieldInvalid(`${at}.${name}`, meta[name] ?? '', IMMUTABLE))
  }
  for (const name of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if (meta[name] !== undefined && meta[name] !== old[name]) {
      errors.push(fieldInvalid(`${at}.${name}`, meta[name], IMMUTABLE))
    }
  }
  checkLabels(meta.labels, 'metadata.labels', errors)
  checkAnnotations(meta.annotations, 'metadata.annotations', errors)
  checkOwners(meta.ownerReferences ?? [], 'metadata.ownerReferences', errors)
  checkManagedFields(meta.managedFields ?? [], 'metadata.managedFields', errors)
  if (knownFinalizers) checkKnownFinalizers(meta.finalizers ?? [], 'metadata.finalizers', errors)
}

/** A finalizer of Kubernetes, or one with a domain. */
export function checkKnownFinalizer(finalizer: string, at: string, errors: FieldError[]): void {
  if (finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)) return
  errors.push(fieldInvalid(at, finalizer, 'name is neither a standard finalizer name nor is it fully qualified'))
}

function checkNames(meta: ObjectMeta, rules: ObjectMetaRules, at: string, errors: FieldError[]): void {
  const format = FORMATS[rules.nameRule]
  if (meta.generateName) {
    const asPrefix = rules.nameRule === 'pathSegment' ? isPathSegmentPrefix : format
    for (const message of asPrefix(withoutTrailingDash(meta.generateName))) {
      errors.push(fieldInvalid(childPath(at, 'generateName'), meta.generateName, message))
    }
  }
  if (!meta.name) errors.push(fieldRequired(childPath(at, 'name'), 'name or generateName is required'))
  else {
    reportFormat(format, meta.name, childPath(at, 'name'), errors)
    // Whatever the kind allows, the name must be valid in a URL.
    if (rules.nameRule === 'any') reportFormat(isPathSegmentName, meta.name, childPath(at, 'name'), errors)
  }
}

function checkNamespace(meta: ObjectMeta, namespaced: boolean, at: string, errors: FieldError[]): void {
  const path = childPath(at, 'namespace')
  if (!namespaced) {
    if (meta.namespace) errors.push(fieldForbidden(path, 'not allowed on this type'))
  } else if (!meta.namespace) errors.push(fieldRequired(path))
  else reportFormat(isDNS1123Label, meta.namespace, path, errors)
}

function checkOwners(owners: readonly OwnerReference[], at: string, errors: FieldError[]): void {
  let controller = ''
  let all: unknown
  for (const owner of owners) {
    checkOwner(owner, at, errors)
    if (owner.controller !== true) continue
    const name = `${owner.kind}/${owner.name}`
    if (controller === '') controller = name
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`
      all ??= owners.map(inOrder)
      errors.push(fieldInvalid(at, all, detail))
    }
  }
}

function checkOwner(owner: OwnerReference, at: string, errors: FieldError[]): void {
  const version = owner.apiVersion ? parseGroupVersion(owner.apiVersion) : undefined
  if (!owner.apiVersion) errors.push(fieldInvalid(`${at}.apiVersion`, '', 'version must not be empty'))
  else if (version === undefined || version.version === '') {
    errors.push(fieldInvalid(`${at}.apiVersion`, owner.apiVersion, 'must be <group>/<version> or <version>'))
  }
  for (const name of ['kind', 'name', 'uid'] as const) {
    if (!owner[name]) errors.push(fieldInvalid(`${at}.${name}`, '', 'must not be empty'))
  }
  if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
    errors.push(fieldInvalid(at, inOrder(owner), '/v1, Kind=Event is disallowed from being an owner'))
  }
}

/** Returns the fields of an owner reference in the order in which the API prints them. */
function inOrder({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): OwnerReference {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  }
}

function checkFinalizers(finalizers: readonly string[], at: string, errors: FieldError[]): void {
  for (const finalizer of finalizers) reportFormat(isQualifiedName, finalizer, at, errors)
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.push(fieldInvalid(at, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'))
  }
}

function checkKnownFinalizers(finalizers: readonly string[], at: string, errors: FieldError[]): void {
  for (const [i, finalizer] of finalizers.entries()) checkKnownFinalizer(finalizer, indexPath(at, i), errors)
}

function checkNoNewFinalizers(meta: ObjectMeta, old: ObjectMeta, errors: FieldError[]): void {
  const added = new Set(meta.finalizers ?? [])
  for (const finalizer of old.finalizers ?? []) added.delete(finalizer)
  if (added.size === 0) return
  const list = [...added].sort().map((finalizer) => JSON.stringify(finalizer))
  const detail = 'no new finalizers can be added if the object is being deleted, found new finalizers'
  errors.push(fieldForbidden('metadata.finalizers', `${detail} []string{${list.join(', ')}}`))
}

function checkManagedFields(entries: readonly ManagedFieldsEntry[], at: string, errors: FieldError[]): void {
  for (const [i, entry] of entries.entries()) {
    const path = indexPath(at, i)
    const operation: string = entry.operation ?? ''
    if (operation === '') errors.push(fieldRequired(`${path}.operation`, 'must not be empty'))
    else if (operation !== 'Apply' && operation !== 'Update') {
      errors.push(fieldNotSupported(`${path}.operation`, operation, ['Apply', 'Update']))
    }
    const fieldsType: string = entry.fieldsType ?? ''
    if (fieldsType !== '' && fieldsType !== 'FieldsV1') {
      errors.push(fieldInvalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`'))
    }
    checkFieldManager(entry.manager ?? '', `${path}.manager`, errors)
    if (Buffer.byteLength(entry.subresource ?? '') > SUBRESOURCE_NAME_MAX) {
      errors.push(fieldTooLong(`${path}.subresource`, SUBRESOURCE_NAME_MAX))
    }
  }
}

/** The name of a field manager: short and printable. */
export function checkFieldManager(manager: string, at: string, errors: FieldError[]): void {
  if (Buffer.byteLength(manager) > FIELD_MANAGER_MAX) errors.push(fieldTooLong(at, FIELD_MANAGER_MAX))
  if (!/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager)) return
  let position = 0
  // Each character is reported with the whole name, so a name that is too long is not checked to its end.
  for (const character of manager.slice(0, FIELD_MANAGER_MAX)) {
    if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
      errors.push(fieldInvalid(at, manager, `invalid character U+${code} (at position ${position})`))
    }
    position += Buffer.byteLength(character)
  }
}
