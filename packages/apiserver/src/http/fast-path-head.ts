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
  /** A client sends almost the same header lines with each request. */
  #lines: string | undefined
  #headers: Readonly<Record<string, string>> = {}
  #bodyLength = 0

  read(bytes: Buffer): FastPathHead | undefined {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0 || end > MAX_HEAD_BYTES) return undefined
    const head = bytes.toString('latin1', 0, end + 2)
    const match = REQUEST_LINE.exec(head)
    if (match === null) return undefined
    const [line, method, url] = match as unknown as [string, string, string]
    const lines = head.slice(line.length)
    if (lines !== this.#lines && !this.#readLines(lines)) return undefined
    return { method, url, headers: this.#headers, headLength: end + HEAD_END.length, bodyLength: this.#bodyLength }
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
