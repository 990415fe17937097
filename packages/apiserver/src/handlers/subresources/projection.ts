import type { KubeObject } from '@orrery/kinds'
import { cloneJson, notFound, type PatchType } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import { header } from '../../http/exchange.js'
import type { WriteContext } from '../../registry/context.js'
import { decodeObject } from '../../registry/decode.js'
import type { KindLogic } from '../../registry/kind-logic.js'
import { type Modification, modify } from '../../registry/modify.js'
import { appliedConfig, patchedObject, reportRepeats } from '../../registry/patch.js'
import { parseApplyBody, parsePatch, patchTypeOf } from '../../registry/patcher.js'
import type { Registry } from '../../registry/registry.js'
import { negotiate } from '../../request/accept.js'
import { decodeBody } from '../../request/decode.js'
import { parseWriteOptions } from '../../request/options.js'
import { ObjectForm } from '../forms.js'
import { isPretty, send } from '../reply.js'
import { callContext, type ResourceCall, readBytes, writeContext } from '../resource.js'

/** A subresource that shows and writes a part of an object, possibly as another kind (`scale`). */
export interface Projection {
  /** The kind of bodies, patches and responses. */
  readonly kind: KindLogic
  read(live: KubeObject): KubeObject
  /** Returns the live object with the writable fields taken from `shown`. Throws a 422 if they are invalid. */
  write(context: WriteContext, live: KubeObject, shown: KubeObject, clock: Clock): KubeObject
  /** Whether `write` sets the managed fields itself. */
  readonly ownsFields: boolean
  /** Server-side apply of a configuration of the shown kind. Returns the object with its new managed fields. */
  apply(context: WriteContext, live: KubeObject, config: KubeObject, clock: Clock): KubeObject
}

/** Serves get, update and patch of a projection. */
export async function serveProjection(registry: Registry, call: ResourceCall, projection: Projection): Promise<void> {
  const { exchange, target } = call
  const form = new ObjectForm(
    projection.kind,
    negotiate(header(exchange, 'accept')),
    target.query,
    isPretty(exchange),
    () => registry.clock.now(),
  )
  const object = target.verb === 'get' ? await read(registry, call) : await write(registry, call, projection)
  return send(exchange, 200, form.object(projection.read(object)))
}

async function read(registry: Registry, { logic, namespace, target }: ResourceCall): Promise<KubeObject> {
  const { group, plural, storage } = logic.resource
  const entry = registry.store.get(storage.bucket, namespace, target.name)
  if (entry === undefined) throw notFound({ group, resource: plural }, target.name)
  return logic.fromStorage(entry.object())
}

async function write(registry: Registry, call: ResourceCall, projection: Projection): Promise<KubeObject> {
  const { exchange, target } = call
  const contentType = header(exchange, 'content-type')
  const type = target.verb === 'patch' ? patchTypeOf(call.logic.resource, contentType) : undefined
  const kind = type === undefined ? 'UpdateOptions' : 'PatchOptions'
  const options = parseWriteOptions(target.query, kind, type === 'apply')
  const bytes = await readBytes(call)
  const context = writeContext(call, callContext(call), options)
  const change = changeOf(registry, context, projection, type, bytes, contentType)
  const ownsFields = type === 'apply' || projection.ownsFields
  const result = await modify(registry, context, { options: kind, ownsFields, change })
  return result.object
}

function changeOf(
  { clock }: Registry,
  context: WriteContext,
  projection: Projection,
  type: PatchType | undefined,
  bytes: Buffer,
  contentType: string | undefined,
): Modification['change'] {
  const shownContext = { ...context, logic: projection.kind }
  const { resource } = projection.kind
  const { fieldValidation } = context.options
  if (type === 'apply') {
    const body = parseApplyBody(bytes)
    const config = appliedConfig(shownContext, body)
    return (live) => {
      const object = projection.apply(context, live, config, clock)
      reportRepeats(context, body)
      return object
    }
  }
  if (type === undefined) {
    const shown = decodeObject(shownContext, decodeBody(bytes, contentType, resource.kind), fieldValidation)
    return (live) => projection.write(context, live, shown, clock)
  }
  const patch = parsePatch(type, bytes, resource)
  return (live) => {
    const patched = cloneJson(patch.apply(projection.read(live)))
    const shown = patchedObject(shownContext, type, patched, patch.problems)
    return projection.write(context, live, shown, clock)
  }
}
