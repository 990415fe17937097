import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import { jsonPatch, jsonTypeName } from '@orrery/kinds/patch'
import { cloneJson, internalError, jsonEqual } from '@orrery/kinds/values'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import { turns } from '../fairness/turns.js'
import { parseJson } from '../json/parse.js'
import { CannotBeHandled } from '../registry/decode.js'
import type { KindLogic } from '../registry/kind-logic.js'
import { ask, callFailed } from './ask.js'
import { WebhookCallFailure } from './call-failure.js'
import { isExempt, type WebhookContext } from './context.js'
import { converted, type Invocation, invocationOf, logicFor, versionedObjects } from './invocation.js'
import type { Webhook } from './webhook.js'
import type { WebhookIndex } from './webhook-index.js'

const MUTATION = 'mutation.webhook.admission.k8s.io/'
const FAILED_OPEN = `failed-open.${MUTATION}`

/** The maximum number of values in a patch: more than an object can have. */
const MAX_PATCH_VALUES = 200_000
/** A larger patch is parsed and applied in the turn of its user. */
const LARGE_PATCH = 256 * 1024

/**
 * Calls mutating webhooks in order. If one of them changed the object, the built-in plugins run again, and then the
 * webhooks with `reinvocationPolicy: IfNeeded` that have not seen the last change: once, so that two webhooks cannot
 * loop.
 */
export function mutatingWebhooks(
  context: WebhookContext,
  index: WebhookIndex,
  builtin: readonly AdmissionPlugin[],
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionWebhook',
    mutate(request) {
      const { webhooks } = index
      if (webhooks.length === 0 || isExempt(request)) return undefined
      return mutate(context, webhooks, builtin, request)
    },
  }
}

async function mutate(
  context: WebhookContext,
  webhooks: readonly Webhook[],
  builtin: readonly AdmissionPlugin[],
  request: AdmissionRequest,
): Promise<void> {
  const outdated = new Set<Webhook>()
  const reinvocable = new Set<Webhook>()
  let anyChanged = false
  for (const [position, webhook] of webhooks.entries()) {
    const outcome = await invoke(context, webhook, request, 0, position)
    if (outcome === 'skipped') continue
    if (outcome === 'changed') {
      anyChanged = true
      for (const earlier of reinvocable) outdated.add(earlier)
    }
    if (webhook.spec.reinvocationPolicy === 'IfNeeded') reinvocable.add(webhook)
  }
  if (!anyChanged) return
  if (await rerun(builtin, request)) for (const webhook of reinvocable) outdated.add(webhook)
  for (const [position, webhook] of webhooks.entries()) {
    if (outdated.has(webhook)) await invoke(context, webhook, request, 1, position)
  }
}

/** Runs the built-in plugins again after webhooks changed an object. Returns whether they changed it. */
async function rerun(builtin: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<boolean> {
  const before = cloneJson(request.object)
  for (const plugin of builtin) await plugin.mutate?.(request)
  return !jsonEqual(before, request.object)
}

type Outcome = 'skipped' | 'same' | 'changed'

async function invoke(
  context: WebhookContext,
  webhook: Webhook,
  request: AdmissionRequest,
  round: number,
  position: number,
): Promise<Outcome> {
  const invocation = await invocationOf(context, webhook, request)
  if (invocation === undefined) return 'skipped'
  const at = `round_${round}_index_${position}`
  let mutated = false
  try {
    mutated = await change(context, invocation, request)
  } catch (error) {
    if (!(error instanceof WebhookCallFailure)) throw error
    if (!webhook.ignoresFailures) throw callFailed(webhook.spec.name, error)
    context.log.warn('a webhook failed and is ignored', { webhook: webhook.spec.name, error: error.message })
    request.annotate(`${FAILED_OPEN}${at}`, webhook.spec.name)
  } finally {
    const { configuration, spec } = webhook
    request.annotate(`${MUTATION}${at}`, JSON.stringify({ configuration, webhook: spec.name, mutated }))
  }
  return mutated ? 'changed' : 'same'
}

async function change(context: WebhookContext, invocation: Invocation, request: AdmissionRequest): Promise<boolean> {
  const objects = await versionedObjects(context, invocation.resource, request)
  const { patch } = await request.waitFor(() => ask(context.client, invocation, request, objects, true))
  if (patch.length === 0) return false
  if (patch.length > LARGE_PATCH) await turns.take(request.identity.username)
  const operations = readPatch(patch)
  if (operations.length === 0) return false
  const [object] = objects
  const { name } = invocation.webhook.spec
  if (object === undefined) {
    const what = 'attempted to modify the object, which is not supported for this operation'
    throw internalError(`admission webhook ${JSON.stringify(name)} ${what}`)
  }
  const patched = applyPatch(object, operations)
  const logic = logicFor(context.catalog, invocation.resource, request)
  // The options of a connection are of a kind that is not stored.
  const isStored = request.operation !== 'CONNECT'
  const conformed = isStored ? conform(logic, patched) : (patched as unknown as KubeObject)
  if (conformed.kind !== object.kind || conformed.apiVersion !== object.apiVersion) {
    throw internalError(`admission webhook ${JSON.stringify(name)} changed the kind of the object`)
  }
  if (isStored) logic.applyDefaults(conformed)
  if (jsonEqual(conformed, object)) return false
  request.object =
    invocation.resource === request.resource
      ? conformed
      : await converted(conformed, logic, logicFor(context.catalog, request.resource, request))
  return true
}

function readPatch(patch: Buffer): readonly JsonValue[] {
  const undecodable = (why: string) => new WebhookCallFailure(`received undecodable patch in webhook response: ${why}`)
  let operations: JsonValue
  try {
    operations = parseJson(patch, undefined, MAX_PATCH_VALUES).value as JsonValue
  } catch (error) {
    throw undecodable(error instanceof Error ? error.message : String(error))
  }
  if (Array.isArray(operations)) return operations
  throw undecodable(`json: cannot unmarshal ${jsonTypeName(operations)} into Go value of type jsonpatch.Patch`)
}

function conform(logic: KindLogic, patched: JsonObject): KubeObject {
  try {
    return logic.conform(cloneJson(patched)).object
  } catch (error) {
    throw internalError(error instanceof CannotBeHandled ? error.why : String(error))
  }
}

function applyPatch(object: KubeObject, operations: readonly JsonValue[]): JsonObject {
  try {
    return jsonPatch(object as unknown as JsonObject, [...operations]) as JsonObject
  } catch (error) {
    const { message, cause } = error as Error
    throw internalError(cause instanceof Error ? cause.message : message)
  }
}
