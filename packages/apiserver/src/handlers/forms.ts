import { badRequest, formatGroupVersion, type JsonObject, type KubeObject, notAcceptable } from '@orrery/kube'
import { encodeProtobuf } from '../protobuf/index.js'
import type { KindLogic } from '../registry/kindlogic.js'
import type { ListResult } from '../registry/list.js'
import type { ServedFilter } from '../registry/selection.js'
import { CONTENT_TYPE, type ResponseForm, streamType } from '../request/accept.js'
import type { Query } from '../request/query.js'
import type { Entry } from '../store/types.js'
import {
  type IncludeObject,
  type ListMeta,
  renderHeaders,
  renderPartialMetadata,
  renderPartialMetadataList,
  renderTable,
  renderTableRow,
} from '../table/render.js'
import type { WatchEncoding, WatchSink } from '../watch/types.js'
import { formatYaml } from '../yaml/write.js'
import { ConvertingSink } from './convertingsink.js'
import { protobufSink } from './protobufsink.js'
import { tableSink } from './tablesink.js'

/** A body ready to be sent. */
export interface Rendered {
  readonly contentType: string
  readonly chunks: readonly Buffer[]
}

const COMMA = Buffer.from(',')
const BRACE = Buffer.from('{')
const COMMA_BRACE = Buffer.from(',{')
const LIST_END = Buffer.from(']}')

/** How to write the objects of one resource for one client. */
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

  /** One stored object. Nearly always at once: only a remote conversion makes it wait. */
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

  /** One object in the version of the resource. */
  object(object: KubeObject): Rendered {
    return this.#serialise(object, this.#shaped(object))
  }

  async list(result: ListResult): Promise<Rendered> {
    const logic = this.#logic
    const form = this.#form
    const meta = listMeta(result)
    if (form.shape === 'object' && !this.#pretty && form.serialization === 'json') {
      const items: Buffer[] = (result.objects ?? []).map((object) => Buffer.from(JSON.stringify(object)))
      for (const entry of result.objects === undefined ? result.entries : []) {
        items.push(logic.servedBytes(entry) ?? Buffer.from(JSON.stringify(await logic.fromStorage(entry.object()))))
      }
      return { contentType: CONTENT_TYPE.json, chunks: this.#jsonList(meta, items) }
    }
    const objects = result.objects ?? (await this.#objects(result))
    if (form.shape === 'table') {
      const table = renderTable(logic.resource, objects, {
        includeObject: this.#includeObject,
        now: this.#now(),
        metaVersion: form.metaVersion,
        listMeta: meta,
      })
      return this.#reserialise(table)
    }
    if (form.shape === 'metadata') {
      return this.#reserialise(renderPartialMetadataList(objects, meta, form.metaVersion))
    }
    const items = logic.typedItems ? objects : objects.map(withoutType)
    return this.#serialise({ ...this.#listHead(meta), items } as unknown as KubeObject, undefined)
  }

  /** How the same form looks in watch events. `carriesPrevious` is for a sink that chooses by what it has converted. */
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

  /** The media type of a watch in this form. Throws a 406 when the kind has no such form. */
  watchType(): string {
    if (this.#form.serialization !== 'protobuf') return CONTENT_TYPE.json
    const { group, version, kind } = this.#logic.resource
    const probe = this.#event({ apiVersion: formatGroupVersion(group, version), kind, metadata: {} })
    if (encodeProtobuf(JSON.parse(probe.toString('utf8')) as KubeObject) === undefined)
      throw notAcceptable([streamType(CONTENT_TYPE.json)])
    return streamType(CONTENT_TYPE.protobuf)
  }

  /** Does for one watcher what the watch encoding, which many share, cannot do. */
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

  async #objects(result: ListResult): Promise<KubeObject[]> {
    const objects: KubeObject[] = []
    for (const entry of result.entries) objects.push(await this.#logic.fromStorage(entry.object()))
    return objects
  }

  /** JSON of the derived forms; undefined for the whole object. */
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

  #listHead(meta: ListMeta): { kind: string; apiVersion: string; metadata: ListMeta } {
    const { resource } = this.#logic
    // Lists of custom resources say so when there is no more, others leave it out.
    const metadata = resource.custom ? { continue: '', ...meta } : meta
    return { kind: resource.listKind, apiVersion: formatGroupVersion(resource.group, resource.version), metadata }
  }

  #jsonList(meta: ListMeta, items: readonly Buffer[]): Buffer[] {
    const head = JSON.stringify(this.#listHead(meta))
    const chunks: Buffer[] = [Buffer.from(`${head.slice(0, -1)},"items":[`)]
    if (this.#logic.typedItems) {
      for (let index = 0; index < items.length; index++) {
        if (index > 0) chunks.push(COMMA)
        chunks.push(items[index] as Buffer)
      }
    } else {
      const type = this.#typeStart()
      for (let index = 0; index < items.length; index++) {
        chunks.push(index > 0 ? COMMA_BRACE : BRACE, afterType(items[index] as Buffer, type))
      }
    }
    chunks.push(LIST_END)
    return chunks
  }

  /** What the JSON of each object starts with, as objects are written in this order. */
  #typeStart(): Buffer {
    const { group, version, kind } = this.#logic.resource
    return Buffer.from(`${JSON.stringify({ apiVersion: formatGroupVersion(group, version), kind }).slice(0, -1)},`)
  }
}

/** The JSON of an object from its third field on. */
function afterType(json: Buffer, type: Buffer): Buffer {
  if (json.compare(type, 0, type.length, 0, type.length) === 0) return json.subarray(type.length)
  return Buffer.from(JSON.stringify(withoutType(JSON.parse(json.toString('utf8')))).slice(1))
}

function withoutType({ apiVersion: _, kind: __, ...rest }: KubeObject): Omit<KubeObject, 'apiVersion' | 'kind'> {
  return rest
}

/** Writes an object that is not stored: reviews, scales, Status. */
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
