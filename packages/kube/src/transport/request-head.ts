import type { HttpRequest } from '../client/transport.js'

/** A character that is invalid in a request target. */
const NOT_IN_TARGET = /[^\x21-\x7e]/
const METHOD = /^[A-Z]+$/
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what would end a header and begin another.
const NOT_IN_VALUE = /[\x00-\x08\x0a-\x1f\x7f]/

/** Headers that belong to the connection. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
])

/** A header line. Throws if it would contain another header. */
export function headerLine(name: string, value: string): string {
  if (!HEADER_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid header name`)
  // The value may be a secret and is not quoted.
  if (NOT_IN_VALUE.test(value)) throw new TypeError(`header ${name} has a control character in its value`)
  return `${name}: ${value}\r\n`
}

/** Headers of every request, unless the request has its own. */
export interface DefaultHeaders {
  /** Host, user agent. */
  readonly always: string
  /** Not sent with a request that has its own `authorization`. */
  readonly authorization: string
  /** Not sent with a request that has its own `impersonate-user`. */
  readonly impersonation: string
  /** The prefix of every path. */
  readonly targetPrefix: string
}

/** The head of an HTTP/1.1 request (RFC 9112), in UTF-8 as Go sends it. */
export function requestHead(request: HttpRequest, standing: DefaultHeaders, gzip: boolean): string {
  const { method, path, headers, body } = request
  if (!METHOD.test(method)) throw new TypeError(`${JSON.stringify(method)} is not a valid method`)
  if (!path.startsWith('/') || NOT_IN_TARGET.test(path)) {
    throw new TypeError(`${JSON.stringify(path)} is not a valid path: it must begin with / and be percent-encoded`)
  }
  let { authorization, impersonation } = standing
  let own = ''
  for (const name in headers) {
    const key = name.toLowerCase()
    if (OF_THE_CONNECTION.has(key)) continue
    if (key === 'authorization') authorization = ''
    else if (key === 'impersonate-user') impersonation = ''
    const value = headers[name]
    if (typeof value === 'string') own += headerLine(name, value)
    else for (const one of value ?? []) own += headerLine(name, one)
  }
  const first = `${method} ${standing.targetPrefix}${path} HTTP/1.1\r\n`
  const length = lengthLine(method, body)
  return `${first}${standing.always}${authorization}${impersonation}${own}${gzip ? 'accept-encoding: gzip\r\n' : ''}${length}\r\n`
}

function lengthLine(method: string, body: Buffer | string | undefined): string {
  if (body !== undefined) {
    return `content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : body.length}\r\n`
  }
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'content-length: 0\r\n' : ''
}
