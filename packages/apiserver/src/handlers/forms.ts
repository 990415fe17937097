import type { JsonObject, KubeObject } from '@orrery/kinds'
import { badRequest, formatGroupVersion, notAcceptable } from '@orrery/kinds/values'
import { inTurns } from '../fairness/turns.js'
import {
  type IncludeObject,
  type ListMeta,
  type ListParts,
  partialMetadataParts,
  renderHeaders,
  renderPartialMetadata,
  renderTableRow,
  tableParts,
} from '../printers/render.js'
import { encodeProtobuf } from '../protobuf/index.js'
import type { KindLogic } from '../registry/kind-logic.js'
import type { ListResult } from '../registry/list.js'
import type { ServedFilter } from '../registry/selection.js'
import { CONTENT_TYPE, type ResponseForm, streamType } from '../request/accept.js'
import type { Query } from '../request/query.js'
import type { Entry } from '../store/types.js'
import type { WatchEncoding, WatchSink } from '../watch/types.js'
import { formatYaml } from '../yaml/write.js'
import { ConvertingSink } from './converting-sink.js'
import { type ListClient, listMemory, type RenderedList } from './list-memory.js'
import { listWriter } from './list-writer.js'
import { protobufSink } from './protobuf-sink.js'
import { tableSink } from './table-sink.js'

/** A response body. */
export interface Rendered {
  readonly contentType: string
  readonly chunks: readonly Buffer[]
}

const COMMA = Buffer.from(',')
const BRACE = Buffer.from('{')
const COMMA_BRACE = Buffer.from(',{')
const LIST_END = Buffer.from(']}')

/** Encodes the objects of one resource for one client (content negotiation). */
export class ObjectForm {
  readonly #logic: KindLogic
  readonly #form: ResponseForm
  readonly #includeObject: IncludeObject
  readonly #pretty: boolean
  readonly #now: () => Date

  constructor(logic: KindLogic, form: ResponseForm, query: Query, pretty: boolean, now: () => Date) {
    this.#logic = logic
    this.#form = form
    this.#includeObject = includeObjectOf(query, form)
    this.#pretty = pretty
    this.#now = now
  }

  /** Encodes one stored object. Synchronous unless a webhook converts it. */
  entry(entry: Entry): Rendered | Promise<Rendered> {
    const logic = this.#logic
    const form = this.#form
    if (form.shape === 'object' && form.serialization === 'json' && !this.#pretty) {
      const bytes = logic.servedBytes(entry)
      if (bytes !== undefined) return { contentType: CONTENT_TYPE.json, chunks: [bytes] }
    }
    const served = logic.fromStorage(entry.object())
    return served instanceof Promise ? served.then((object) => this.object(object)) : this.object(served)
  }

  /** Encodes one object in the version of the resource. */
  object(object: KubeObject): Rendered {
    return this.#serialise(object, this.#shaped(object))
  }

  /** Encodes a list. A long one takes turns with the work of other users. Rejects if the client disconnects. */
  async list(result: ListResult, user: string, client: ListClient): Promise<Rendered> {
    const isStored = this.#form.shape === 'object' && this.#form.serialization === 'json' && !this.#pretty
    const writer = isStored ? undefined : listWriter(this.#parts(listMeta(result)), this.#form, this.#pretty)
    const rendered = listMemory.begin(client)
    try {
      if (writer === undefined) return await this.#storedList(result, user, rendered)
      const add = (object: KubeObject) => rendered.grew(writer.add(object))
      if (result.objects !== undefined) await inTurns(user, result.objects, add)
      else {
        await inTurns(user, result.entries, (entry) => {
          const served = this.#logic.fromStorage(entry.object())
          return served instanceof Promise ? served.then(add) : add(served)
        })
      }
      return writer.finish()
    } finally {
      rendered.end()
    }
  }

  /** Encodes a list as JSON from the stored bytes. */
  async #storedList(result: ListResult, user: string, rendered: RenderedList): Promise<Rendered> {
    const logic = this.#logic
    const head = JSON.stringify(this.#listHead(listMeta(result)))
    const chunks: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)]
    const type = logic.typedItems ? undefined : this.#typeStart()
    const add = (item: Buffer) => {
      const isFirst = chunks.length === 1
      if (type !== undefined) chunks.push(isFirst ? BRACE : COMMA_BRACE, afterType(item, type))
      else if (isFirst) chunks.push(item)
      else chunks.push(COMMA, item)
      return rendered.grew(item.length)
    }
    const addObject = (object: KubeObject) => add(Buffer.from(JSON.stringify(object)))
    if (result.objects !== undefined) await inTurns(user, result.objects, addObject)
    else {
      await inTurns(user, result.entries, (entry) => {
        const bytes = logic.servedBytes(entry)
        if (bytes !== undefined) return add(bytes)
        const served = logic.fromStorage(entry.object())
        return served instanceof Promise ? served.then(addObject) : addObject(served)
      })
    }
    chunks.push(LIST_END)
    return { contentType: CONTENT_TYPE.json, chunks }
  }

  #parts(meta: ListMeta): ListParts {
    const { resource, typedItems } = this.#logic
    const { shape, metaVersion } = this.#form
    switch (shape) {
      case 'table': {
        const options = { includeObject: this.#includeObject, now: this.#now(), metaVersion, listMeta: meta }
        return tableParts(resource, options)
      }
      case 'metadata':
        return partialMetadataParts(meta, metaVersion)
      case 'object': {
        const item = (object: KubeObject) => (typedItems ? object : withoutType(object)) as JsonObject
        const itemText = (object: KubeObject) => JSON.stringify(item(object))
        return { head: this.#listHead(meta), member: 'items', item, itemText }
      }
    }
  }

  /**
   * Returns the encoding of this form for watch events. `carriesPrevious` is for a sink that filters converted objects.
   */
  watchEncoding(carriesPrevious = false): WatchEncoding {
    const logic = this.#logic
    const form = this.#form
    const apiVersion = formatGroupVersion(logic.resource.group, logic.resource.version)
    const { kind } = logic.resource
    const render = (object: KubeObject): Buffer => this.#event(object)
    return {
      key: `${apiVersion}/${form.shape}/${form.metaVersion}/${form.shape === 'table' ? this.#includeObject : ''}/${carriesPrevious}`,
      carriesPrevious,
      object: (entry) => {
        if (logic.convertsRemotely) return entry.bytes
        const bytes = form.shape === 'object' ? logic.servedBytes(entry) : undefined
        return bytes ?? render(logic.fromStorage(entry.object()) as KubeObject)
      },
      bookmark: (revision, annotations) => {
        const metadata = { resourceVersion: String(revision), ...(annotations !== undefined && { annotations }) }
        return render({ kind, apiVersion, metadata } as KubeObject)
      },
    }
  }

  /** The media type of a watch in this form. Throws a 406 if the kind has no such form. */
  watchType(): string {
    if (this.#form.serialization !== 'protobuf') return CONTENT_TYPE.json
    const { group, version, kind } = this.#logic.resource
    const probe = this.#event({ apiVersion: formatGroupVersion(group, version), kind, metadata: {} })
    if (encodeProtobuf(JSON.parse(probe.toString('utf8')) as KubeObject) === undefined)
      throw notAcceptable([streamType(CONTENT_TYPE.json)])
    return streamType(CONTENT_TYPE.protobuf)
  }

  /** Wraps the sink of one watcher with what the shared watch encoding cannot do. */
  watchSink(sink: WatchSink, served: ServedFilter | undefined): WatchSink {
    const logic = this.#logic
    const form = this.#form
    const written = form.serialization === 'protobuf' ? protobufSink(sink) : sink
    const shown = form.shape === 'table' ? tableSink(written, renderHeaders(logic.resource)) : written
    if (!logic.convertsRemotely) return shown
    return new ConvertingSink(shown, {
      convert: async (stored) => logic.fromStorage(stored),
      render: (object) => this.#event(object),
      served,
    })
  }

  #event(object: KubeObject): Buffer {
    return this.#shaped(object, false) ?? Buffer.from(JSON.stringify(object))
  }

  /** Returns the JSON of a Table or PartialObjectMetadata; undefined for the whole object. */
  #shaped(object: KubeObject, headers = true): Buffer | undefined {
    switch (this.#form.shape) {
      case 'table':
        return renderTableRow(this.#logic.resource, object, {
          includeObject: this.#includeObject,
          now: this.#now(),
          metaVersion: this.#form.metaVersion,
          headers,
        })
      case 'metadata':
        return renderPartialMetadata(object, this.#form.metaVersion)
      case 'object':
        return undefined
    }
  }

  #serialise(object: KubeObject, shaped: Buffer | undefined): Rendered {
    if (shaped !== undefined) return this.#reserialise(shaped)
    return serialiseObject(object, this.#form, this.#pretty)
  }

  #reserialise(json: Buffer): Rendered {
    if (this.#form.serialization === 'json' && !this.#pretty) return { contentType: CONTENT_TYPE.json, chunks: [json] }
    return serialiseObject(JSON.parse(json.toString('utf8')) as KubeObject, this.#form, this.#pretty)
  }

  #listHead(meta: ListMeta): { kind: string; apiVersion: string; metadata: JsonObject } {
    const { resource } = this.#logic
    // Lists of custom resources have an empty `continue` at the end, others omit it.
    const metadata = resource.custom ? { continue: '', ...meta } : { ...meta }
    return { kind: resource.listKind, apiVersion: formatGroupVersion(resource.group, resource.version), metadata }
  }

  /** Returns the start of the JSON of each object, since fields are encoded in this order. */
  #typeStart(): Buffer {
    const { group, version, kind } = this.#logic.resource
    return Buffer.from(`${JSON.stringify({ apiVersion: formatGroupVersion(group, version), kind }).slice(0, -1)},`)
  }
}

/** Returns the JSON of an object from its third field on. */
function afterType(json: Buffer, type: Buffer): Buffer {
  if (json.compare(type, 0, type.length, 0, type.length) === 0) return json.subarray(type.length)
  return Buffer.from(JSON.stringify(withoutType(JSON.parse(json.toString('utf8')))).slice(1))
}

function withoutType({ apiVersion: _, kind: __, ...rest }: KubeObject): Omit<KubeObject, 'apiVersion' | 'kind'> {
  return rest
}

/** Encodes an object that is not stored: reviews, scales, Status. */
export function serialiseObject(object: object, form: ResponseForm, pretty: boolean): Rendered {
  switch (form.serialization) {
    case 'json':
      return {
        contentType: CONTENT_TYPE.json,
        chunks: [Buffer.from(JSON.stringify(object, undefined, pretty ? 2 : undefined))],
      }
    case 'yaml':
      return { contentType: CONTENT_TYPE.yaml, chunks: [Buffer.from(formatYaml(object as JsonObject))] }
    case 'protobuf': {
      const bytes = encodeProtobuf(object as KubeObject)
      if (bytes === undefined) throw notAcceptable(Object.values(CONTENT_TYPE))
      return { contentType: CONTENT_TYPE.protobuf, chunks: [bytes] }
    }
  }
}

function listMeta(result: ListResult): ListMeta {
  return {
    resourceVersion: String(result.revision),
    ...(result.continue !== '' && { continue: result.continue }),
    ...(result.remaining !== undefined && { remainingItemCount: result.remaining }),
  }
}

const INCLUDE_OBJECT: readonly string[] = ['None', 'Metadata', 'Object']

function includeObjectOf(query: Query, form: ResponseForm): IncludeObject {
  const asked = query.get('includeObject')
  if (form.shape !== 'table' || asked === '') return 'Metadata'
  if (!INCLUDE_OBJECT.includes(asked)) {
    const why = `Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`
    throw badRequest(`Unable to convert to Table as requested: includeObject: ${why}`)
  }
  return asked as IncludeObject
}
