import type { JsonObject } from '@orrery/kinds'
import { metaSchemas, type Verb } from '@orrery/kinds/tables'
import { badRequest, displayed, noSuchPath, notFound, type Status } from '@orrery/kinds/values'
import { managerName } from '../apply/manager-name.js'
import { turns } from '../fairness/turns.js'
import { type Exchange, header } from '../http/exchange.js'
import type { Identity } from '../identity/identity.js'
import type { VerbatimMember } from '../json/verbatim.js'
import type { VerbContext, WaitFor, WriteContext } from '../registry/context.js'
import { create } from '../registry/create.js'
import { decodeObject } from '../registry/decode.js'
import { type DeleteOptions, type DeleteResult, parseDeleteOptions, remove } from '../registry/delete.js'
import { removeCollection } from '../registry/delete-collection.js'
import type { KindLogic } from '../registry/kind-logic.js'
import { asExpired, list, requireRevision } from '../registry/list.js'
import { patch } from '../registry/patch.js'
import { patchTypeOf } from '../registry/patcher.js'
import type { Registry } from '../registry/registry.js'
import { update } from '../registry/update.js'
import { prepareWatch } from '../registry/watch.js'
import type { WriteResult } from '../registry/write-result.js'
import { negotiate, negotiateStream } from '../request/accept.js'
import { type DecodedBody, decodeBody, MAX_BODY_BYTES } from '../request/decode.js'
import { parseListOptions, parseWriteOptions, type WriteOptions } from '../request/options.js'
import type { RequestTarget } from '../request/target.js'
import { ConformError, conform as conformTo } from '../schema/conform.js'
import type { Entry } from '../store/types.js'
import { ObjectForm, type Rendered } from './forms.js'
import { methodRefused, noSuchSubresource } from './method-refused.js'
import { isPretty, send, sendObject } from './reply.js'
import { startWatchStream } from './watch-stream.js'

/** A request for a resource. */
export interface ResourceCall {
  readonly exchange: Exchange
  readonly target: RequestTarget
  readonly identity: Identity
  readonly logic: KindLogic
  /** Empty for cluster-scoped resources and requests across namespaces. */
  readonly namespace: string
  readonly warnings: string[]
  readonly annotations: Record<string, string>
  readonly requireAccess: (verb: string) => Promise<void>
  readonly waitFor: WaitFor
  /** The same after a write, which must not be refused any more. */
  readonly waitAtEnd: WaitFor
}

/** The handlers of the verbs that every resource has, for the object and its status. */
export class ResourceHandler {
  readonly registry: Registry

  constructor(registry: Registry) {
    this.registry = registry
  }

  serve(call: ResourceCall): void | Promise<void> {
    const { target, logic } = call
    const verbs =
      target.subresource === '' ? logic.resource.verbs : logic.resource.subresources.get(target.subresource)?.verbs
    if (verbs === undefined) throw noSuchSubresource(call)
    const asRead = target.verb !== 'watch' || call.exchange.method === 'GET'
    if (!asRead || !verbs.includes(target.verb as Verb)) throw methodRefused(call)
    requireName(call)
    switch (target.verb as Verb) {
      case 'get':
        return this.#get(call)
      case 'list':
        return this.#list(call)
      case 'watch':
        return this.#watch(call)
      case 'create':
        return this.#create(call)
      case 'update':
        return this.#update(call)
      case 'patch':
        return this.#patch(call)
      case 'delete':
        return this.#delete(call)
      case 'deletecollection':
        return this.#deleteCollection(call)
    }
  }

  #get(call: ResourceCall): void | Promise<void> {
    const { resource } = call.logic
    requireRevision(this.registry, call.target.query.get('resourceVersion'))
    const entry = this.registry.store.get(resource.storage.bucket, call.namespace, call.target.name)
    if (entry === undefined) throw notFound({ group: resource.group, resource: resource.plural }, call.target.name)
    return sendRendered(call.exchange, 200, this.#form(call).entry(entry))
  }

  async #list(call: ResourceCall): Promise<void> {
    await send(call.exchange, 200, await this.#renderedList(call, this.#form(call)))
  }

  /** Finds and renders the objects of a list. `handle` is called in between. */
  async #renderedList(
    call: ResourceCall,
    form: ObjectForm,
    handle?: (entries: readonly Entry[]) => Promise<void>,
  ): Promise<Rendered> {
    const options = parseListOptions(call.target.query, false)
    const find = () => list(this.registry, callContext(call), options)
    const { convertsRemotely } = call.logic
    try {
      // One wait for all conversions: otherwise a long list would wait for its seats after each object.
      const listing = convertsRemotely ? call.waitFor(async () => find()) : find()
      const result = listing instanceof Promise ? await listing : listing
      if (handle !== undefined) await handle(result.entries)
      const render = () => form.list(result, call.identity.username, call.exchange)
      return await (convertsRemotely ? call.waitFor(render) : render())
    } catch (error) {
      throw asExpired(error, options)
    }
  }

  #watch(call: ResourceCall): void | Promise<void> {
    const form = this.#form(call, negotiateStream(header(call.exchange, 'accept')))
    const contentType = form.watchType()
    const watch = prepareWatch(this.registry, callContext(call), parseListOptions(call.target.query, true))
    const sink = form.watchSink(startWatchStream(call.exchange, contentType), watch.served)
    return watch.open(form.watchEncoding(watch.served !== undefined), sink)
  }

  #create(call: ResourceCall): Promise<void> {
    const { target } = call
    if (target.name !== '') throw methodRefused(call)
    requireNamespace(call)
    const options = parseWriteOptions(target.query, 'CreateOptions')
    const form = this.#form(call)
    const createFrom = (body: DecodedBody) => {
      const context = callContext(call)
      const object = decodeObject(context, body, options.fieldValidation)
      const named = writeContext(call, context, options, object.metadata.name ?? '', body.verbatim)
      return create(this.registry, named, object).then((result) => this.#reply(call, form, result))
    }
    const reading = readObject(call)
    return reading instanceof Promise ? reading.then(createFrom) : createFrom(reading)
  }

  async #update(call: ResourceCall): Promise<void> {
    const { target } = call
    requireNamespace(call)
    const options = parseWriteOptions(target.query, 'UpdateOptions')
    const form = this.#form(call)
    const body = await readObject(call)
    const verbs = callContext(call)
    const object = decodeObject(verbs, body, options.fieldValidation)
    const context = writeContext(call, verbs, options, verbs.name, body.verbatim)
    await this.#reply(call, form, await update(this.registry, context, object))
  }

  async #patch(call: ResourceCall): Promise<void> {
    const { exchange, target, logic } = call
    requireNamespace(call)
    const type = patchTypeOf(logic.resource, header(exchange, 'content-type'))
    const options = parseWriteOptions(target.query, 'PatchOptions', type === 'apply')
    const form = this.#form(call)
    const bytes = await readBytes(call)
    const context = writeContext(call, callContext(call), options)
    await this.#reply(call, form, await patch(this.registry, context, type, bytes))
  }

  async #delete(call: ResourceCall): Promise<void> {
    requireNamespace(call)
    const options = await readDeleteOptions(call)
    const form = this.#form(call)
    const result = await remove(this.registry, callContext(call), options)
    if (!result.gone || call.logic.traits.returnsDeletedObject) {
      await send(call.exchange, !result.gone && options.cascadeAsked ? 202 : 200, form.object(result.object))
    } else await sendObject(call.exchange, 200, deletedStatus(call, result))
  }

  async #deleteCollection(call: ResourceCall): Promise<void> {
    requireNamespace(call)
    const deleteOptions = await readDeleteOptions(call)
    const form = this.#form(call)
    const context = callContext(call)
    const rendered = await this.#renderedList(call, form, (entries) =>
      removeCollection(this.registry, context, deleteOptions, entries),
    )
    await send(call.exchange, 200, rendered)
  }

  #reply(call: ResourceCall, form: ObjectForm, result: WriteResult): void | Promise<void> {
    const { entry, object, created } = result
    const render = () => (entry === undefined ? form.object(object) : form.entry(entry))
    const rendered = call.logic.convertsRemotely ? call.waitAtEnd(async () => render()) : render()
    return sendRendered(call.exchange, created ? 201 : 200, rendered)
  }

  #form(call: ResourceCall, form = negotiate(header(call.exchange, 'accept'))): ObjectForm {
    const { exchange, target, logic } = call
    return new ObjectForm(logic, form, target.query, isPretty(exchange), () => this.registry.clock.now())
  }
}

function sendRendered(
  exchange: Exchange,
  status: number,
  rendered: Rendered | Promise<Rendered>,
): void | Promise<void> {
  if (rendered instanceof Promise) return rendered.then((body) => send(exchange, status, body))
  return send(exchange, status, rendered)
}

/** Reads the body. A large body is decoded when it is the user's turn, since decoding is slow and cannot be split. */
export function readBytes({ exchange, identity }: ResourceCall): Buffer | Promise<Buffer> {
  const reading = exchange.body(MAX_BODY_BYTES)
  if (reading instanceof Promise) return reading.then((bytes) => inTurn(bytes, identity.username))
  return inTurn(reading, identity.username)
}

const LARGE_BODY_BYTES = 128 * 1024

function inTurn(bytes: Buffer, user: string): Buffer | Promise<Buffer> {
  return bytes.length < LARGE_BODY_BYTES ? bytes : turns.take(user).then(() => bytes)
}

function readObject(call: ResourceCall): DecodedBody | Promise<DecodedBody> {
  const { exchange, logic } = call
  const decode = (bytes: Buffer) => decodeBody(bytes, header(exchange, 'content-type'), logic.resource.kind)
  const reading = readBytes(call)
  return reading instanceof Promise ? reading.then(decode) : decode(reading)
}

/** Returns the context of a call for the verbs. */
export function callContext(call: ResourceCall): VerbContext {
  const { target, logic, namespace, identity, warnings, annotations, requireAccess, waitFor } = call
  const { subresource, name } = target
  return { identity, logic, namespace, name, subresource, warnings, annotations, requireAccess, waitFor }
}

/** Returns the context of a call for writes. */
export function writeContext(
  call: ResourceCall,
  context: VerbContext,
  options: WriteOptions,
  name = context.name,
  verbatim?: VerbatimMember,
): WriteContext {
  const { identity, logic, namespace, subresource, warnings, annotations, requireAccess, waitFor } = context
  const manager = managerName(options.fieldManager, header(call.exchange, 'user-agent') ?? '')
  // Listed explicitly: an object spread followed by other members is several times slower.
  return {
    identity,
    logic,
    namespace,
    name,
    subresource,
    warnings,
    annotations,
    requireAccess,
    waitFor,
    options,
    manager,
    verbatim,
  }
}

function requireName(call: ResourceCall): void {
  const { verb, name } = call.target
  if (name !== '' || (verb !== 'update' && verb !== 'patch')) return
  throw call.logic.resource.custom ? badRequest('name must be provided') : methodRefused(call)
}

function requireNamespace(call: ResourceCall): void {
  const { namespaced, custom } = call.logic.resource
  if (namespaced && call.namespace === '') throw custom ? noSuchPath() : methodRefused(call)
}

async function readDeleteOptions(call: ResourceCall): Promise<DeleteOptions> {
  const { exchange, target } = call
  const bytes = await readBytes(call)
  if (bytes.length === 0) return parseDeleteOptions(undefined, target.query)
  const { value } = decodeBody(bytes, header(exchange, 'content-type'))
  if (value.kind !== undefined && value.kind !== 'DeleteOptions') {
    throw badRequest(`a delete takes DeleteOptions, not ${displayed(value.kind)}`)
  }
  return parseDeleteOptions(typedDeleteOptions(value), target.query)
}

function typedDeleteOptions(value: JsonObject): JsonObject {
  try {
    return conformTo(value, metaSchemas.DeleteOptions).object
  } catch (error) {
    if (error instanceof ConformError) throw badRequest(error.message)
    throw error
  }
}

function deletedStatus(call: ResourceCall, result: DeleteResult): Status {
  const { resource } = call.logic
  const { name, uid } = result.object.metadata
  const details = {
    ...(name !== undefined && { name }),
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.plural,
    ...(uid !== undefined && { uid }),
  }
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }
}
