export type Headers = Record<string, string | string[]>

/** How the end of a body is determined (RFC 9112, section 6.3). */
export type Framing = { readonly kind: 'length'; readonly length: number } | { readonly kind: 'chunked' | 'close' }

export interface ResponseHead {
  readonly status: number
  /** Lower-case names; a repeated header is a list. */
  readonly headers: Headers
  readonly framing: Framing
  /** Whether the connection can be reused. */
  readonly keepAlive: boolean
}

/** The response is not HTTP/1.1. */
export class MalformedResponse extends Error {
  readonly code = 'EPROTO'
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/
const DIGITS = /^\d{1,15}$/

/** Parses the status line and headers, without the empty line after them. `method` is that of the request. */
export function parseResponseHead(text: string, method: string): ResponseHead {
  const firstEnd = text.indexOf('\r\n')
  const match = STATUS_LINE.exec(firstEnd < 0 ? text : text.slice(0, firstEnd))
  if (match === null) throw new MalformedResponse('the response does not begin with an HTTP status line')
  const status = Number(match[2])
  const headers = parseHeaders(text, firstEnd < 0 ? text.length : firstEnd + 2)
  const connection = String(headers.connection ?? '').toLowerCase()
  const framing = framingOf(headers, status, method)
  const wantsMore = match[1] === '1' ? !connection.includes('close') : connection.includes('keep-alive')
  // Two lengths: a proxy may use the other one.
  const isAmbiguous = framing.kind === 'chunked' && headers['content-length'] !== undefined
  return { status, headers, framing, keepAlive: wantsMore && framing.kind !== 'close' && !isAmbiguous }
}

function parseHeaders(text: string, start: number): Headers {
  const headers = Object.create(null) as Headers
  let from = start
  while (from < text.length) {
    const newline = text.indexOf('\r\n', from)
    const to = newline < 0 ? text.length : newline
    const colon = text.indexOf(':', from)
    if (colon <= from || colon > to) throw new MalformedResponse('the response has a line that is not a header')
    const name = text.slice(from, colon).toLowerCase()
    const value = text.slice(colon + 1, to).trim()
    const known = headers[name]
    if (known === undefined) headers[name] = value
    else if (typeof known === 'string') headers[name] = [known, value]
    else known.push(value)
    from = to + 2
  }
  return headers
}

const EMPTY: Framing = { kind: 'length', length: 0 }

function framingOf(headers: Headers, status: number, method: string): Framing {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return EMPTY
  const encoding = headers['transfer-encoding']
  if (encoding !== undefined) {
    if (typeof encoding === 'string' && encoding.toLowerCase() === 'chunked') return { kind: 'chunked' }
    throw new MalformedResponse('the response has an unsupported transfer-encoding')
  }
  const lengths = headers['content-length']
  if (lengths === undefined) return { kind: 'close' }
  const length = typeof lengths === 'string' ? lengths : (lengths[0] ?? '')
  const isClear = typeof lengths === 'string' || lengths.every((one) => one === length)
  if (!isClear || !DIGITS.test(length)) throw new MalformedResponse('the response has an invalid content-length')
  return { kind: 'length', length: Number(length) }
}
