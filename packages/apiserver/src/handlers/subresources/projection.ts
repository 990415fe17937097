import { type JsonObject, type KubeObject, notFound } from '@orrery/kube'
import { header } from '../../http/exchange.js'
import { cloneJson } from '../../json.js'
import type { WriteContext } from '../../registry/context.js'
import { modify } from '../../registry/modify.js'
import { applyOwned } from '../../registry/ownership.js'
import { parseApplyBody, parsePatch, patchTypeOf } from '../../registry/patcher.js'
import type { Registry } from '../../registry/registry.js'
import { decodeBody, MAX_BODY_BYTES } from '../../request/decode.js'
import { parseWriteOptions } from '../../request/options.js'
import type { Resource } from '../../resource.js'
import { sendObject } from '../reply.js'
import { callContext, type ResourceCall, writeContext } from '../resource.js'

/** An endpoint that shows and writes only a part of an object, maybe in another kind (`scale`). */
export interface Projection {
  /** The kind that is shown: what patches are read against. */
  readonly resource: Resource
  read(live: KubeObject): KubeObject
  /** The live object with what the endpoint may write taken from `shown`. Throws a 422 when that is not valid. */
  write(live: KubeObject, shown: KubeObject): KubeObject
  /** Types the body of a PUT, or a patched object. */
  conform(value: JsonObject): KubeObject
  /** What an applied configuration of the shown kind means for the object. */
  applied(config: KubeObject): KubeObject
}

/** Serves get, update and patch of a projection. */
export async function serveProjection(registry: Registry, call: ResourceCall, projection: Projection): Promise<void> {
  const { exchange, target, logic } = call
  const { bucket } = logic.resource.storage
  if (target.verb === 'get') {
    const entry = registry.store.get(bucket, call.namespace, target.name)
    if (entry === undefined)
      throw notFound({ group: logic.resource.group, resource: logic.resource.plural }, target.name)
    return sendObject(exchange, 200, projection.read(await logic.fromStorage(entry.object())))
  }
  const isPatch = target.verb === 'patch'
  const type = isPatch ? patchTypeOf(projection.resource, header(exchange, 'content-type')) : undefined
  const options = parseWriteOptions(target.query, isPatch ? 'PatchOptions' : 'UpdateOptions', type === 'apply')
  const bytes = await exchange.body(MAX_BODY_BYTES)
  const context = writeContext(call, callContext(call), options)
  const result = await modify(registry, context, {
    options: isPatch ? 'PatchOptions' : 'UpdateOptions',
    ownsFields: type === 'apply',
    change: changeOf(registry, context, projection, type, bytes, header(exchange, 'content-type')),
  })
  return sendObject(exchange, 200, projection.read(result.object))
}

function changeOf(
  registry: Registry,
  context: WriteContext,
  projection: Projection,
  type: ReturnType<typeof patchTypeOf> | undefined,
  bytes: Buffer,
  contentType: string | undefined,
): (live: KubeObject) => KubeObject {
  if (type === 'apply') {
    const config = projection.applied(projection.conform(parseApplyBody(bytes).value))
    return (live) => projection.write(live, projection.read(applyOwned(context, live, config, registry.clock)))
  }
  if (type === undefined) {
    const shown = projection.conform(decodeBody(bytes, contentType).value)
    return (live) => projection.write(live, shown)
  }
  const patch = parsePatch(type, bytes, projection.resource, context.options.fieldValidation, context.warnings)
  return (live) => projection.write(live, projection.conform(cloneJson(patch(projection.read(live)))))
}
