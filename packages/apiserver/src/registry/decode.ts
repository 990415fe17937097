import { badRequest, formatGroupVersion, type JsonObject, type KubeObject, type StatusError } from '@orrery/kube'
import type { DecodedBody } from '../request/decode.js'
import type { FieldValidation } from '../request/options.js'
import type { Resource } from '../resource.js'
import type { VerbContext } from './context.js'
import type { KindLogic } from './kindlogic.js'

/** Upstream stops listing strict decoding errors here. */
const MAX_STRICT_ERRORS = 100

/** Makes a typed, defaulted object of a request body and checks it against the URL. Throws a 400 `StatusError`. */
export function decodeObject(context: VerbContext, body: DecodedBody, validation: FieldValidation): KubeObject {
  const { resource } = context.logic
  checkTypeMeta(resource, body.value)
  const object = conform(context.logic, body.value, body.duplicates, validation, context.warnings)
  context.logic.applyDefaults(object)
  checkAddress(context, object)
  return object
}

/** Gives a JSON value the types of the kind, treating unknown and duplicate fields as the client asked for. */
export function conform(
  logic: KindLogic,
  value: JsonObject,
  duplicates: readonly string[],
  validation: FieldValidation,
  warnings: string[],
): KubeObject {
  const { object, unknown } = logic.conform(value)
  if (validation === 'Ignore' || (unknown.length === 0 && duplicates.length === 0)) return object
  const problems = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ].slice(0, MAX_STRICT_ERRORS)
  if (validation === 'Strict') throw cannotBeHandled(logic.resource, `strict decoding error: ${problems.join(', ')}`)
  warnings.push(...problems)
  return object
}

/** The 400 for a body that is not an object of the kind. */
export function cannotBeHandled(resource: Resource, why: string): StatusError {
  return badRequest(
    `${resource.kind} in version ${JSON.stringify(resource.version)} cannot be handled as a ${resource.kind}: ${why}`,
  )
}

/** Fills in the kind and API version, or refuses others. */
function checkTypeMeta(resource: Resource, value: JsonObject): void {
  const apiVersion = formatGroupVersion(resource.group, resource.version)
  if (resource.custom && (value.kind === undefined || value.kind === '')) {
    throw badRequest(`Object 'Kind' is missing in the request body: expected kind ${resource.kind} of ${apiVersion}`)
  }
  if (value.kind === undefined || value.kind === '') value.kind = resource.kind
  if (value.apiVersion === undefined || value.apiVersion === '') value.apiVersion = apiVersion
  if (value.kind !== resource.kind) {
    const given = String(value.kind)
    throw badRequest(
      `${given} in version ${JSON.stringify(String(value.apiVersion))} cannot be handled as a ${resource.kind}: this endpoint takes ${apiVersion} ${resource.kind}`,
    )
  }
  if (value.apiVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${String(value.apiVersion)}) does not match the expected API version (${apiVersion})`,
    )
  }
}

function checkAddress(context: VerbContext, object: KubeObject): void {
  const meta = object.metadata
  if (context.name !== '') {
    if (meta.name === undefined || meta.name === '') meta.name = context.name
    if (meta.name !== context.name) {
      throw badRequest(`the name of the object (${meta.name}) does not match the name on the URL (${context.name})`)
    }
  }
  if (!context.logic.resource.namespaced) {
    if (meta.namespace !== undefined && meta.namespace !== '') {
      throw badRequest('namespace may not be set on a cluster-scoped object')
    }
    delete meta.namespace
    return
  }
  if (meta.namespace === undefined || meta.namespace === '') meta.namespace = context.namespace
  if (meta.namespace !== context.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}
