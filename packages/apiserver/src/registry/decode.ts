import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import {
  addAll,
  badRequest,
  cloneJson,
  displayed,
  fieldInvalid,
  formatGroupVersion,
  invalid,
  isObject,
  StatusError,
} from '@orrery/kinds/values'
import type { Resource } from '../kinds/resource.js'
import type { DecodedBody } from '../request/decode.js'
import type { FieldValidation } from '../request/options.js'
import type { VerbContext } from './context.js'
import type { KindLogic } from './kind-logic.js'
import { strictProblems } from './strict-problems.js'

/** Decodes a request body into a typed, defaulted object and checks it against the URL. Throws a 400 `StatusError`. */
export function decodeObject(context: VerbContext, body: DecodedBody, validation: FieldValidation): KubeObject {
  const { resource } = context.logic
  checkTypeMeta(resource, body.value)
  const object = conform(context.logic, body, validation, context.warnings)
  context.logic.applyDefaults(object)
  checkAddress(context, object)
  return object
}

/**
 * Types a body, and handles unknown and duplicate fields as the field validation of the request says. If the body is
 * the result of a patch, `ofPatch` has the problems of the patch itself.
 */
export function conform(
  logic: KindLogic,
  body: DecodedBody,
  validation: FieldValidation,
  warnings: string[],
  ofPatch: readonly string[] = [],
): KubeObject {
  const forgets = isEmptyManagedFields(body.value.metadata)
  // Typing drops unknown fields and with them their position.
  const document = body.duplicates.length === 0 ? body.value : cloneJson(body.value)
  const { object, unknown } = logic.conform(body.value)
  if (forgets) object.metadata.managedFields = []
  if (validation === 'Ignore') return object
  const ofBody = body.duplicates.length + (body.repeats ?? []).length
  if (unknown.length === 0 && ofBody === 0 && ofPatch.length === 0) return object
  const { each, text } = strictProblems({ ...body, value: document }, unknown, logic.resource.custom)
  if (validation === 'Strict') {
    const all = [...ofPatch, ...(text === '' ? [] : [text])].join(', ')
    throw new CannotBeHandled(logic.resource, `strict decoding error: ${all}`)
  }
  addAll(warnings, ofPatch)
  addAll(warnings, each)
  return object
}

/** An empty list removes all managers, but typing drops empty lists. */
function isEmptyManagedFields(metadata: JsonValue | undefined): boolean {
  return isObject(metadata) && Array.isArray(metadata.managedFields) && metadata.managedFields.length === 0
}

/** The 400 for a body that is not an object of the kind. */
export class CannotBeHandled extends StatusError {
  readonly why: string

  constructor(resource: Resource, why: string, given = { kind: resource.kind, version: resource.version }) {
    const what = `${given.kind} in version ${JSON.stringify(given.version)}`
    super(badRequest(`${what} cannot be handled as a ${resource.kind}: ${why}`).status)
    this.why = why
  }
}

/** Sets kind and apiVersion, or refuses others. */
function checkTypeMeta(resource: Resource, value: JsonObject): void {
  requireText(value, 'kind')
  requireText(value, 'apiVersion')
  const expected = formatGroupVersion(resource.group, resource.version)
  if (resource.custom) {
    checkCustomTypeMeta(resource, value, expected)
    return
  }
  if (value.kind === undefined || value.kind === '') value.kind = resource.kind
  if (value.apiVersion === undefined || value.apiVersion === '') value.apiVersion = expected
  const problem = typeMetaProblem(resource, value)
  if (problem === undefined) return
  const version = String(value.apiVersion)
  const given = { kind: String(value.kind), version: version.slice(version.indexOf('/') + 1) }
  throw new CannotBeHandled(resource, problem, given)
}

function requireText(value: JsonObject, field: 'kind' | 'apiVersion'): void {
  const given = value[field]
  if (given === null) delete value[field]
  if (given === undefined || given === null || typeof given === 'string') return
  const type = Array.isArray(given) ? 'array' : typeof given === 'boolean' ? 'bool' : typeof given
  throw badRequest(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${type} into Go struct field .${field} of type string`,
  )
}

/** Custom resources must specify kind and apiVersion. */
function checkCustomTypeMeta(resource: Resource, value: JsonObject, expected: string): void {
  if (value.kind === undefined || value.kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing in the request body`,
    )
  }
  const apiVersion = String(value.apiVersion ?? '')
  if (apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    )
  }
  if (value.kind !== resource.kind) {
    const kind = String(value.kind)
    const name = displayed((value.metadata as JsonObject | undefined)?.name ?? '')
    throw invalid({ group: resource.group, kind }, name, [fieldInvalid('kind', kind, `must be ${resource.kind}`)])
  }
}

/** Returns why an object is not of the resource's kind and version; undefined if it is. */
export function typeMetaProblem(resource: Resource, value: JsonObject): string | undefined {
  const expected = formatGroupVersion(resource.group, resource.version)
  const { kind, apiVersion } = value
  if (kind === resource.kind && apiVersion === expected) return undefined
  if (kind === resource.kind)
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`
  return `this endpoint takes ${expected} ${resource.kind}`
}

/** Checks name and namespace of an object against the URL. Only a create may omit the name. Throws a 400. */
export function checkAddress(context: VerbContext, object: KubeObject): void {
  const meta = object.metadata
  if (context.name !== '') {
    if (meta.name === undefined || meta.name === '') throw nameUndeterminable(context.name)
    if (meta.name !== context.name) {
      throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${context.name})`)
    }
  }
  if (!context.logic.resource.namespaced) {
    delete meta.namespace
    return
  }
  if (meta.namespace === undefined || meta.namespace === '') meta.namespace = context.namespace
  if (meta.namespace !== context.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/** The 400 for an object without the name of its URL. */
export function nameUndeterminable(name: string): StatusError {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
}
