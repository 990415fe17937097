import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { contentHash } from '../discovery/etag.js'
import { groupResources } from '../discovery/groups.js'
import type { Resource } from '../kinds/resource.js'
import { encodeDocument } from './gnostic.js'
import { apiRoot } from './names.js'
import type { SchemaSource } from './payloads.js'
import { v2Document } from './v2.js'
import { type DocumentInfo, v3Document } from './v3.js'

const V2_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/** A document, kept compressed, since most clients accept that. */
export interface OpenApiDocument {
  readonly contentType: string
  /** Changes with the content. */
  readonly hash: string
  readonly gzip: Buffer
  identity(): Buffer
}

export interface OpenApiOptions {
  /** The Kubernetes version of the API. */
  readonly version: string
  readonly schemas: SchemaSource
}

interface GroupVersion {
  readonly resources: readonly Resource[]
  document: OpenApiDocument | undefined
}

/** The OpenAPI documents of the server. Each is created on first use and kept while nothing changes. */
export class OpenApi {
  readonly #info: DocumentInfo
  readonly #schemas: SchemaSource
  #groupVersions: ReadonlyMap<string, GroupVersion> = new Map()
  #index: Promise<Buffer> | undefined
  #v2: { json?: OpenApiDocument; protobuf?: OpenApiDocument } = {}

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
    this.#v2 = {}
  }

  /** `/openapi/v3`: the index of documents. Their addresses contain hashes, so that clients can cache them. */
  index(): Promise<Buffer> {
    this.#index ??= this.#writeIndex(this.#groupVersions)
    return this.#index
  }

  /** `/openapi/v3/<root>`, where the root is `api/v1`, `apis/apps/v1` and so on. */
  v3(root: string): OpenApiDocument | undefined {
    const groupVersion = this.#groupVersions.get(root)
    return groupVersion && this.#write(groupVersion)
  }

  /** `/openapi/v2`: the whole API in one document. */
  v2(form: 'json' | 'protobuf'): OpenApiDocument {
    const known = this.#v2[form]
    if (known !== undefined) return known
    const resources = [...this.#groupVersions.values()].flatMap((groupVersion) => groupVersion.resources)
    const json = v2Document(resources, this.#schemas, this.#info)
    const document =
      form === 'json'
        ? compressed('application/json', Buffer.from(JSON.stringify(json)))
        : compressed(V2_PROTOBUF_TYPE, encodeDocument(json))
    this.#v2[form] = document
    return document
  }

  async #writeIndex(groupVersions: ReadonlyMap<string, GroupVersion>): Promise<Buffer> {
    const paths: Record<string, { serverRelativeURL: string }> = {}
    for (const [root, groupVersion] of [...groupVersions].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const { hash } = this.#write(groupVersion)
      paths[root] = { serverRelativeURL: `/openapi/v3/${root}?hash=${hash}` }
      // Creating all documents at once would block other requests.
      await nextTurn()
    }
    return Buffer.from(JSON.stringify({ paths }))
  }

  #write(groupVersion: GroupVersion): OpenApiDocument {
    groupVersion.document ??= compressed(
      'application/json',
      Buffer.from(JSON.stringify(v3Document(groupVersion.resources, this.#schemas, this.#info))),
    )
    return groupVersion.document
  }
}

function compressed(contentType: string, body: Buffer): OpenApiDocument {
  const gzip = gzipSync(body, { level: 1 })
  return { contentType, hash: contentHash(body), gzip, identity: () => gunzipSync(gzip) }
}

function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}
