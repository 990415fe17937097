import type { JsonObject, KubeObject } from '@orrery/kinds'
import {
  addAll,
  badRequest,
  cloneJson,
  conflict,
  displayed,
  fieldInvalid,
  formatGroupVersion,
  invalid,
  isAlreadyExists,
  isNotFound,
  type PatchType,
  type StatusError,
} from '@orrery/kinds/values'
import type { DecodedBody } from '../request/decode.js'
import type { WriteContext } from './context.js'
import { create } from './create.js'
import { CannotBeHandled, checkAddress, conform, nameUndeterminable, typeMetaProblem } from './decode.js'
import { modify } from './modify.js'
import { applyOwned } from './ownership.js'
import { parseApplyBody, parsePatch } from './patcher.js'
import type { Registry } from './registry.js'
import { unmarshalErrors } from './strict-problems.js'
import type { WriteResult } from './write-result.js'

/** PATCH of an object or its status. */
export function patch(registry: Registry, context: WriteContext, type: PatchType, bytes: Buffer): Promise<WriteResult> {
  if (type === 'apply') return apply(registry, context, parseApplyBody(bytes))
  const parsed = parsePatch(type, bytes, context.logic.resource)
  return modify(registry, context, {
    options: 'PatchOptions',
    change: (live) => patchedObject(context, type, cloneJson(parsed.apply(live)), parsed.problems),
  })
}

/** The number of retries of an apply if the object is created or deleted meanwhile. */
const APPLY_TRIES = 5

/** Server-side apply: creates the object if it does not exist, also if another client creates it concurrently. */
async function apply(registry: Registry, context: WriteContext, body: DecodedBody): Promise<WriteResult> {
  const { bucket } = context.logic.resource.storage
  const isThere = () => registry.store.head(bucket, context.namespace, context.name) !== undefined
  const config = appliedConfig(context, body)
  for (let tries = 1; ; tries++) {
    const wasThere = isThere()
    const warned = context.warnings.length
    try {
      return await applyTo(registry, context, body, config, wasThere)
    } catch (error) {
      const overtaken = (wasThere ? isNotFound(error) : isAlreadyExists(error)) && isThere() !== wasThere
      if (!overtaken || context.subresource !== '' || tries === APPLY_TRIES) throw error
      context.warnings.length = warned
    }
  }
}

async function applyTo(
  registry: Registry,
  context: WriteContext,
  body: DecodedBody,
  config: KubeObject,
  isThere: boolean,
): Promise<WriteResult> {
  const { logic } = context
  const applied = (live: KubeObject | undefined) => {
    const object = retyped(context, applyOwned(context, live, config, registry.clock))
    reportRepeats(context, body)
    return object
  }
  if (isThere || context.subresource !== '') {
    return modify(registry, context, {
      options: 'PatchOptions',
      ownsFields: true,
      change: applied,
    })
  }
  const { name = '', uid = '' } = config.metadata ?? {}
  if (name === '') throw nameUndeterminable(context.name)
  if (uid !== '') {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`
    throw conflict({ group: logic.resource.group, resource: logic.resource.plural }, context.name, why)
  }
  await context.requireAccess('create')
  return create(registry, context, applied(undefined), true)
}

/**
 * Returns the configuration of an apply body. Throws a 400 if it is for another object or kind. The apply itself
 * validates its fields: it refuses unknown ones whatever the field validation.
 */
export function appliedConfig(context: WriteContext, body: DecodedBody): KubeObject {
  checkApplied(context, body.value)
  context.logic.refuseManyItems(body.value)
  return body.value as unknown as KubeObject
}

/** Handles duplicate keys of an apply body as the field validation of the request says. */
export function reportRepeats(context: WriteContext, { repeats = [] }: DecodedBody): void {
  const { fieldValidation } = context.options
  if (repeats.length === 0 || fieldValidation === 'Ignore') return
  if (fieldValidation === 'Warn') addAll(context.warnings, repeats)
  else throw badRequest(`error strict decoding YAML: error converting YAML to JSON: ${unmarshalErrors(repeats)}`)
}

function checkApplied(context: WriteContext, value: JsonObject): void {
  const { resource } = context.logic
  if (typeof value !== 'object' || value === null) throw badRequest('error decoding YAML: the body must be an object')
  const metadata = (value.metadata ?? {}) as JsonObject
  if (metadata.name !== undefined && metadata.name !== context.name) {
    throw badRequest(
      `the name of the object (${displayed(metadata.name)}) does not match the name on the URL (${context.name})`,
    )
  }
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== context.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

/** Types the result of a patch. Throws a 422 if it has another type. May modify `value`. */
export function patchedObject(
  context: WriteContext,
  type: PatchType,
  value: JsonObject,
  problems: readonly string[],
): KubeObject {
  const { logic, options } = context
  const { resource } = logic
  if (type === 'strategic') {
    // A strategic merge patch works on the fields of the type, which do not include these two.
    value.kind = resource.kind
    value.apiVersion = formatGroupVersion(resource.group, resource.version)
  }
  const problem = typeMetaProblem(resource, value)
  if (problem !== undefined) throw resource.custom ? wrongTypeMeta(context, value) : invalidPatch(context, problem)
  try {
    const object = defaulted(
      context,
      conform(logic, { value, duplicates: [] }, options.fieldValidation, context.warnings, problems),
    )
    checkAddress(context, object)
    return object
  } catch (error) {
    if (error instanceof CannotBeHandled) throw invalidPatch(context, error.why)
    throw error
  }
}

/** The 422 for a patch that changes the kind or apiVersion of a custom resource. */
function wrongTypeMeta(context: WriteContext, value: JsonObject): StatusError {
  const { group, version, kind } = context.logic.resource
  const expected = { kind, apiVersion: formatGroupVersion(group, version) }
  const given = { kind: displayed(value.kind ?? ''), apiVersion: displayed(value.apiVersion ?? '') }
  const field = given.kind === kind ? 'apiVersion' : 'kind'
  const error = fieldInvalid(field, given[field], `must be ${expected[field]}`)
  return invalid({ group, kind: given.kind }, context.name, [error])
}

/** The 422 for a patch whose result is not an object of the kind. It names the object but contains no data of it. */
function invalidPatch(context: WriteContext, why: string): StatusError {
  const { resource } = context.logic
  const shown = `${resource.kind} ${context.namespace === '' ? '' : `${context.namespace}/`}${context.name}`
  const error = invalid({ group: '', kind: '' }, '', [fieldInvalid('patch', shown, why)])
  delete error.status.details?.kind
  return error
}

/**
 * Types the result of an apply, which lacks the zero values of removed fields. Types a copy, since the rest is shared
 * with the live object. An applied null is owned, so it must not be dropped silently.
 */
function retyped(context: WriteContext, object: KubeObject): KubeObject {
  return defaulted(context, context.logic.conform(cloneJson(object) as unknown as JsonObject, 'kept').object)
}

function defaulted(context: WriteContext, object: KubeObject): KubeObject {
  context.logic.applyDefaults(object)
  return object
}
