import { badRequest, type JsonObject, type KubeObject } from '@orrery/kube'
import { cloneJson } from '../json.js'
import type { WriteContext } from './context.js'
import { create } from './create.js'
import { conform } from './decode.js'
import { modify } from './modify.js'
import { applyOwned } from './ownership.js'
import { type PatchBody, type PatchType, parseApplyBody, parsePatch } from './patcher.js'
import type { Registry } from './registry.js'
import type { WriteResult } from './writeresult.js'

/** PATCH of an object or its status. */
export function patch(registry: Registry, context: WriteContext, type: PatchType, bytes: Buffer): Promise<WriteResult> {
  if (type === 'apply') return apply(registry, context, parseApplyBody(bytes))
  const { logic, options } = context
  const change = parsePatch(type, bytes, logic.resource, options.fieldValidation, context.warnings)
  return modify(registry, context, {
    options: 'PatchOptions',
    change: (live) => typed(context, cloneJson(change(live)), []),
  })
}

/** Server-side apply: creates the object when it is not there. */
async function apply(registry: Registry, context: WriteContext, body: PatchBody): Promise<WriteResult> {
  const { logic, options } = context
  checkApplied(context, body.value)
  // What is applied is what was written, not what the kind makes of it: that copy only finds mistakes.
  const config = body.value as unknown as KubeObject
  conform(logic, cloneJson(body.value), body.duplicates, options.fieldValidation, context.warnings)
  const exists = registry.store.head(logic.resource.storage.bucket, context.namespace, context.name) !== undefined
  if (exists || context.subresource !== '') {
    return modify(registry, context, {
      options: 'PatchOptions',
      ownsFields: true,
      change: (live) => retyped(context, applyOwned(context, live, config, registry.clock)),
    })
  }
  await context.requireAccess('create')
  const object = retyped(context, applyOwned(context, undefined, config, registry.clock))
  object.metadata.name = context.name
  return create(registry, context, object, true)
}

/** An applied configuration must be about the object in the URL. */
function checkApplied(context: WriteContext, value: JsonObject): void {
  const { resource } = context.logic
  if (typeof value !== 'object' || value === null) throw badRequest('error decoding YAML: the body must be an object')
  const metadata = (value.metadata ?? {}) as JsonObject
  if (metadata.name !== undefined && metadata.name !== context.name) {
    throw badRequest(
      `the name of the object (${String(metadata.name)}) does not match the name on the URL (${context.name})`,
    )
  }
  if (resource.namespaced && metadata.namespace !== undefined && metadata.namespace !== context.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
}

function typed(context: WriteContext, value: JsonObject, duplicates: readonly string[]): KubeObject {
  const { logic, options } = context
  return defaulted(context, conform(logic, value, duplicates, options.fieldValidation, context.warnings))
}

/** What an apply leaves has gaps where fields were given up: the kind's own form fills them. */
function retyped(context: WriteContext, object: KubeObject): KubeObject {
  return defaulted(context, context.logic.conform(object as unknown as JsonObject).object)
}

function defaulted(context: WriteContext, object: KubeObject): KubeObject {
  context.logic.applyDefaults(object)
  return object
}
