import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { JsonObject } from '@orrery/kinds'

/** A document, kept compressed, since most clients accept that. */
export interface OpenApiDocument {
  readonly contentType: string
  /** Changes with the content. */
  readonly hash: string
  readonly gzip: Buffer
  /** The document itself. Requests at the same time share it. */
  identity(): Promise<Buffer>
}

/** The paths or definitions of a document by name. */
export type Entries = Iterable<readonly [name: string, value: JsonObject]>

/** A document in parts, which are created as they are needed. */
export interface DocumentParts {
  readonly head: JsonObject
  readonly paths: Entries
  /** Complete after all paths were read: they refer to definitions. */
  readonly definitions: Entries
}

/** How long parts are written before other requests are served. The definitions of a server can have many megabytes. */
const SLICE_MILLISECONDS = 5

const zip = promisify(gzip)
const unzip = promisify(gunzip)

/** Joins the pieces of a document and compresses it. */
export async function writeDocument(contentType: string, pieces: Iterable<Buffer>): Promise<OpenApiDocument> {
  const hash = createHash('sha512')
  const written: Buffer[] = []
  let end = performance.now() + SLICE_MILLISECONDS
  for (const piece of pieces) {
    hash.update(piece)
    written.push(piece)
    if (performance.now() < end) continue
    await nextTurn()
    end = performance.now() + SLICE_MILLISECONDS
  }
  const compressed = await zip(Buffer.concat(written), { level: 1 })
  return {
    contentType,
    hash: hash.digest('hex').toUpperCase(),
    gzip: compressed,
    identity: shared(() => unzip(compressed)),
  }
}

/** The pieces of the JSON of a document. `open` and `close` stand around the definitions: `"definitions":{` and `}`. */
export function* jsonPieces({ head, paths, definitions }: DocumentParts, open: string, close: string) {
  yield Buffer.from(`${JSON.stringify(head).slice(0, -1)},"paths":{`)
  yield* jsonEntries(paths)
  yield Buffer.from(`},${open}`)
  yield* jsonEntries(definitions)
  yield Buffer.from(`${close}}`)
}

function* jsonEntries(entries: Entries): Generator<Buffer> {
  let separator = ''
  for (const [name, value] of entries) {
    yield Buffer.from(`${separator}${JSON.stringify(name)}:${JSON.stringify(value)}`)
    separator = ','
  }
}

/** Creates a large value once for all who need it at the same time. */
function shared(create: () => Promise<Buffer>): () => Promise<Buffer> {
  let pending: Promise<Buffer> | undefined
  let last: WeakRef<Buffer> | undefined
  return async () => {
    const known = last?.deref()
    if (known !== undefined) return known
    pending ??= create().finally(() => {
      pending = undefined
    })
    const value = await pending
    last = new WeakRef(value)
    return value
  }
}
