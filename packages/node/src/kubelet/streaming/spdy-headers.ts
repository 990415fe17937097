import { constants, createDeflate, createInflate } from 'node:zlib'
import { SPDY_DICTIONARY } from './spdy-dictionary.js'

/** No Kubernetes client sends more, and a few compressed bytes can expand to very many. */
const MAX_BLOCK = 4 * 1024
const TOO_LONG = 'a header block is too long'

/** Header names are in lower case. */
export type SpdyHeaders = ReadonlyMap<string, string>

/** Decodes the header blocks of one direction of a connection, which are one compressed stream. */
export class HeaderReader {
  readonly #inflate = createInflate({ dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  #pieces: Buffer[] = []
  #size = 0

  constructor() {
    this.#inflate.on('data', (piece: Buffer) => {
      this.#size += piece.length
      if (this.#size <= MAX_BLOCK) this.#pieces.push(piece)
      else this.#inflate.destroy(new Error(TOO_LONG))
    })
    // `read` rejects with this error. Without a listener, an error between two reads would end the process.
    this.#inflate.on('error', () => undefined)
  }

  /** Decodes the next block. Rejects if it is invalid or too long. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    this.#pieces = []
    this.#size = 0
    await new Promise<void>((resolve, reject) => {
      this.#inflate.once('error', reject)
      this.#inflate.write(block, (error) => {
        if (error) return reject(error)
        this.#inflate.off('error', reject)
        resolve()
      })
    })
    if (this.#size > MAX_BLOCK) throw new Error(TOO_LONG)
    return parseHeaders(Buffer.concat(this.#pieces))
  }

  close(): void {
    this.#inflate.destroy()
  }
}

/** Encodes header blocks. */
export class HeaderWriter {
  readonly #deflate = createDeflate({ dictionary: SPDY_DICTIONARY, flush: constants.Z_SYNC_FLUSH })
  #pieces: Buffer[] = []

  constructor() {
    this.#deflate.on('data', (piece: Buffer) => this.#pieces.push(piece))
  }

  async write(headers: SpdyHeaders): Promise<Buffer> {
    this.#pieces = []
    const block = formatHeaders(headers)
    await new Promise<void>((resolve) => {
      this.#deflate.write(block, () => this.#deflate.flush(constants.Z_SYNC_FLUSH, resolve))
    })
    return Buffer.concat(this.#pieces)
  }

  close(): void {
    this.#deflate.destroy()
  }
}

function parseHeaders(bytes: Buffer): SpdyHeaders {
  const headers = new Map<string, string>()
  let at = 0
  const number = () => {
    at += 4
    return bytes.readUInt32BE(at - 4)
  }
  const text = () => {
    const length = number()
    if (length > bytes.length - at) throw new Error('a header block is cut off')
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  for (let left = number(); left > 0; left--) headers.set(text().toLowerCase(), text())
  return headers
}

function formatHeaders(headers: SpdyHeaders): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  const texts = [...headers].flat().map((text) => Buffer.from(text))
  return Buffer.concat([number(headers.size), ...texts.flatMap((text) => [number(text.length), text])])
}
