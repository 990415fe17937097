/** The head of a request. */
export interface FastPathHead {
  readonly method: string
  readonly url: string
  /** Lower-case names, each once. */
  readonly headers: Readonly<Record<string, string>>
  readonly headLength: number
  readonly bodyLength: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 16 * 1024
const REQUEST_LINE = /^(GET|POST|PUT|PATCH|DELETE) (\/[!-~]*) HTTP\/1\.1\r\n/
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// Node.js treats tabs differently in different places, so values with tabs are not ordinary.
const VALUE = /^[ -~]*$/
const LENGTH = /^\d{1,7}$/

/** Headers that change how the rest of the connection is read. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'expect',
  'http2-settings',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Reads the heads of unambiguous HTTP/1.1 requests (RFC 9112): complete, printable ASCII, no duplicate headers, a body
 * of known length. It returns undefined for everything else, so that a complete parser takes over.
 */
export class FastPathHeadReader {
  /** Clients that create many objects or poll one send the same head again and again. */
  readonly #last = new RepeatedHead()
  /** Other clients send almost the same header lines with each request. */
  #lines: string | undefined
  #headers: Readonly<Record<string, string>> = {}
  #bodyLength = 0

  read(bytes: Buffer): FastPathHead | undefined {
    const same = this.#last.match(bytes)
    if (same !== undefined) return same
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > MAX_HEAD_BYTES) return undefined
    const head = bytes.toString('latin1', 0, end + 2)
    const match = REQUEST_LINE.exec(head)
    if (match === null) return undefined
    const [line, method, url] = match as unknown as [string, string, string]
    const lines = head.slice(line.length)
    if (lines !== this.#lines && !this.#readLines(lines)) return undefined
    const headLength = end + HEAD_END.length
    const read = { method, url, headers: this.#headers, headLength, bodyLength: this.#bodyLength }
    this.#last.keep(read, bytes)
    return read
  }

  #readLines(lines: string): boolean {
    const headers: Record<string, string> = {}
    for (let start = 0, end = 0; start < lines.length; start = end + 2) {
      end = lines.indexOf('\r\n', start)
      const colon = lines.indexOf(':', start)
      if (colon < 0 || colon > end) return false
      const name = lines.slice(start, colon)
      const value = lines.slice(colon + 1, end)
      if (!NAME.test(name) || !VALUE.test(value)) return false
      const key = name.toLowerCase()
      if (UNSUPPORTED.has(key) || Object.hasOwn(headers, key)) return false
      headers[key] = value.trim()
      if (key === 'connection' && value.trim().toLowerCase() !== 'keep-alive') return false
    }
    const length = headers['content-length'] ?? '0'
    if (headers.host === undefined || !LENGTH.test(length)) return false
    this.#lines = lines
    this.#headers = headers
    this.#bodyLength = Number(length)
    return true
  }
}

/** The last head of a connection, with a copy of its bytes. */
class RepeatedHead {
  #head: FastPathHead | undefined
  #bytes = Buffer.alloc(0)

  /** Returns the head if the bytes start with the same one. */
  match(bytes: Buffer): FastPathHead | undefined {
    const head = this.#head
    if (head === undefined || bytes.length < head.headLength) return undefined
    const { headLength } = head
    return bytes.compare(this.#bytes, 0, headLength, 0, headLength) === 0 ? head : undefined
  }

  keep(head: FastPathHead, bytes: Buffer): void {
    if (this.#bytes.length < head.headLength) this.#bytes = Buffer.allocUnsafeSlow(head.headLength)
    bytes.copy(this.#bytes, 0, 0, head.headLength)
    this.#head = head
  }
}
