import { groupResources } from '../discovery/groups.js'
import type { Resource } from '../kinds/resource.js'
import { jsonPieces, type OpenApiDocument, writeDocument } from './document.js'
import { protobufPieces } from './gnostic.js'
import { apiRoot } from './names.js'
import type { SchemaSource } from './payloads.js'
import { v2Document } from './v2.js'
import { type DocumentInfo, V3_COMPONENTS, v3Document } from './v3.js'

const JSON_TYPE = 'application/json'
const V2_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

export interface OpenApiOptions {
  /** The Kubernetes version of the API. */
  readonly version: string
  readonly schemas: SchemaSource
}

interface GroupVersion {
  readonly resources: readonly Resource[]
  document: Promise<OpenApiDocument> | undefined
}

type V2Form = 'json' | 'protobuf'

/**
 * The OpenAPI documents of the server. Each is created on first use and kept while nothing changes. They are created one
 * after the other, in slices: with hundreds of CRDs they are large, and every user can request them.
 */
export class OpenApi {
  readonly #info: DocumentInfo
  readonly #schemas: SchemaSource
  #groupVersions: ReadonlyMap<string, GroupVersion> = new Map()
  #index: Promise<Buffer> | undefined
  #v2 = new Map<V2Form, Promise<OpenApiDocument>>()
  /** Settles when the last document is created. */
  #last: Promise<unknown> = Promise.resolve()

  constructor({ version, schemas }: OpenApiOptions) {
    this.#info = { title: 'Kubernetes', version }
    this.#schemas = schemas
  }

  /** Replaces the served resources. Documents of group versions with identical resource objects stay. */
  update(served: Iterable<Resource>): void {
    const next = new Map<string, GroupVersion>()
    for (const { name, versions } of groupResources(served)) {
      for (const { version, resources } of versions) {
        const root = apiRoot(name, version)
        const before = this.#groupVersions.get(root)
        next.set(root, before && sameItems(before.resources, resources) ? before : { resources, document: undefined })
      }
    }
    this.#groupVersions = next
    this.#index = undefined
    this.#v2 = new Map()
  }

  /** `/openapi/v3`: the index of documents. Their addresses contain hashes, so that clients can cache them. */
  index(): Promise<Buffer> {
    const index = this.#index ?? this.#writeIndex(this.#groupVersions)
    this.#index = index
    index.catch(() => {
      if (this.#index === index) this.#index = undefined
    })
    return index
  }

  /** `/openapi/v3/<root>`, where the root is `api/v1`, `apis/apps/v1` and so on. */
  async v3(root: string): Promise<OpenApiDocument | undefined> {
    const groupVersion = this.#groupVersions.get(root)
    return groupVersion && this.#write(groupVersion)
  }

  /** `/openapi/v2`: the whole API in one document. */
  v2(form: V2Form): Promise<OpenApiDocument> {
    const known = this.#v2.get(form)
    if (known !== undefined) return known
    const document = this.#inOrder(() => {
      const resources = [...this.#groupVersions.values()].flatMap((groupVersion) => groupVersion.resources)
      const parts = v2Document(resources, this.#schemas, this.#info)
      return form === 'json'
        ? writeDocument(JSON_TYPE, jsonPieces(parts, '"definitions":{', '}'))
        : writeDocument(V2_PROTOBUF_TYPE, protobufPieces(parts))
    })
    this.#v2.set(form, document)
    document.catch(() => {
      if (this.#v2.get(form) === document) this.#v2.delete(form)
    })
    return document
  }

  async #writeIndex(groupVersions: ReadonlyMap<string, GroupVersion>): Promise<Buffer> {
    const paths: Record<string, { serverRelativeURL: string }> = {}
    for (const [root, groupVersion] of [...groupVersions].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { hash } = await this.#write(groupVersion)
      paths[root] = { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }
    }
    return Buffer.from(JSON.stringify({ paths }))
  }

  #write(groupVersion: GroupVersion): Promise<OpenApiDocument> {
    groupVersion.document ??= this.#inOrder(() => {
      const parts = v3Document(groupVersion.resources, this.#schemas, this.#info)
      return writeDocument(JSON_TYPE, jsonPieces(parts, V3_COMPONENTS.open, V3_COMPONENTS.close))
    })
    groupVersion.document.catch(() => {
      groupVersion.document = undefined
    })
    return groupVersion.document
  }

  #inOrder(write: () => Promise<OpenApiDocument>): Promise<OpenApiDocument> {
    const document = this.#last.then(write)
    this.#last = document.catch(() => undefined)
    return document
  }
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
