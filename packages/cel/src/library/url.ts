import { hexBytes, hexText, utf8Bytes, utf8Text } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { ArrayList } from '../values/list.js'
import { HashMap } from '../values/map.js'
import { CelEvalError, CelOpaque } from '../values/value.js'

const urlType = opaqueType('kubernetes.URL')

/** The parts of a URL, unescaped except for the path. */
interface UrlParts {
  readonly scheme: string
  readonly user: string
  readonly host: string
  readonly path: string
  readonly query: string
}

class CelUrl extends CelOpaque {
  readonly type: CelType = urlType
  readonly parts: UrlParts

  constructor(parts: UrlParts) {
    super()
    this.parts = parts
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelUrl && format(this.parts) === format(other.parts)
  }
}

/** An invalid URL, with the message of Go's `net/url`. */
export class UrlError extends Error {}

/** Kubernetes' URLs. */
export const url: CelLibrary = {
  name: 'kubernetes.urls',
  types: [urlType],
  overloads: [
    overload('string_to_url', 'url(string) -> <kubernetes.URL>', toUrl),
    overload('url_get_scheme', '<kubernetes.URL>.getScheme() -> string', ({ parts }: CelUrl) => parts.scheme),
    overload('url_get_host', '<kubernetes.URL>.getHost() -> string', ({ parts }: CelUrl) => parts.host),
    overload('url_get_hostname', '<kubernetes.URL>.getHostname() -> string', ({ parts }: CelUrl) =>
      hostName(parts.host),
    ),
    overload('url_get_port', '<kubernetes.URL>.getPort() -> string', ({ parts }: CelUrl) => port(parts.host)),
    overload('url_get_escaped_path', '<kubernetes.URL>.getEscapedPath() -> string', ({ parts }: CelUrl) =>
      escapedPath(parts.path),
    ),
    overload('url_get_query', '<kubernetes.URL>.getQuery() -> map(string, list(string))', ({ parts }: CelUrl) =>
      queryMap(parts.query),
    ),
    overload('is_url_string', 'isURL(string) -> bool', (text: string) => {
      try {
        return parseRequestUri(text) !== undefined
      } catch (error) {
        if (error instanceof UrlError) return false
        throw error
      }
    }),
  ],
}

function toUrl(text: string): CelUrl {
  try {
    return new CelUrl(parseRequestUri(text))
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    throw new CelEvalError(`URL parse error during conversion from string: ${error.message}`)
  }
}

/** Parses an absolute URL or path, as `url.ParseRequestURI` does. Throws `UrlError`. */
export function parseRequestUri(text: string): UrlParts {
  const fail = (problem: string): never => {
    throw new UrlError(`parse ${JSON.stringify(text)}: ${problem}`)
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\x00-\x1f\x7f]/.test(text)) fail('net/url: invalid control character in URL')
  if (text === '') fail('empty url')
  if (text === '*') return { scheme: '', user: '', host: '', path: '*', query: '' }
  const { scheme, rest: afterScheme } = splitScheme(text, fail)
  const question = afterScheme.indexOf('?')
  const query = question < 0 ? '' : afterScheme.slice(question + 1)
  const rest = question < 0 ? afterScheme : afterScheme.slice(0, question)
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { scheme, user: '', host: '', path: rest, query }
    fail('invalid URI for request')
  }
  const hasAuthority = rest.startsWith('//') && (scheme !== '' || !rest.startsWith('///'))
  if (!hasAuthority) return { scheme, user: '', host: '', path: checkedPath(rest, fail), query }
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  const path = slash < 0 ? '' : rest.slice(slash)
  const at = authority.lastIndexOf('@')
  const user = at < 0 ? '' : authority.slice(0, at)
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(user)) fail('net/url: invalid userinfo')
  const host = checkedHost(authority.slice(at + 1), fail)
  return { scheme, user, host, path: checkedPath(path, fail), query }
}

function splitScheme(text: string, fail: (problem: string) => never): { scheme: string; rest: string } {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)
  if (match !== null) return { scheme: (match[1] ?? '').toLowerCase(), rest: text.slice(match[0].length) }
  if (text.startsWith(':')) fail('missing protocol scheme')
  return { scheme: '', rest: text }
}

function checkedHost(host: string, fail: (problem: string) => never): string {
  const bracket = host.lastIndexOf(']')
  if (host.startsWith('[') && bracket < 0) fail("missing ']' in host")
  const colon = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':')
  const portPart = colon < 0 ? '' : host.slice(colon)
  if (portPart !== '' && !/^:[0-9]*$/.test(portPart)) fail(`invalid port ${JSON.stringify(portPart)} after host`)
  const bad = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/.exec(host)
  if (bad !== null) fail(`invalid character ${JSON.stringify(bad[0])} in host name`)
  checkEscapes(host, fail)
  return unescapeText(host)
}

function checkedPath(path: string, fail: (problem: string) => never): string {
  checkEscapes(path, fail)
  return path
}

function checkEscapes(text: string, fail: (problem: string) => never): void {
  const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/su.exec(text)
  if (bad !== null) fail(`invalid URL escape ${JSON.stringify(bad[0])}`)
}

/** `%41` → `A`, byte by byte. */
function unescapeText(text: string): string {
  if (!text.includes('%')) return text
  const parts = text.split(/((?:%[0-9A-Fa-f]{2})+)/)
  return parts.map((part, i) => (i % 2 === 1 ? utf8Text(hexBytes(part.replaceAll('%', ''))) : part)).join('')
}

/** The path as written if its escapes are valid, else escaped where needed. */
function escapedPath(path: string): string {
  if (path === '*') return '*'
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path
  const escaped = [...unescapeText(path)].map((character) =>
    /[A-Za-z0-9\-._~$&+,/:;=@]/.test(character) ? character : percentEncode(character),
  )
  return escaped.join('')
}

function percentEncode(character: string): string {
  return hexText(utf8Bytes(character)).toUpperCase().replace(/../g, '%$&')
}

function hostName(host: string): string {
  const bracket = host.indexOf(']')
  if (host.startsWith('[') && bracket > 0) return host.slice(1, bracket)
  const colon = host.indexOf(':')
  return colon < 0 ? host : host.slice(0, colon)
}

function port(host: string): string {
  const bracket = host.indexOf(']')
  const colon = host.indexOf(':', Math.max(bracket, 0))
  return colon < 0 ? '' : host.slice(colon + 1)
}

function queryMap(query: string): HashMap {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';') || /%(?![0-9A-Fa-f]{2})/.test(pair)) continue
    const equals = pair.indexOf('=')
    const decode = (part: string) => unescapeText(part.replaceAll('+', ' '))
    const key = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const known = values.get(key)
    if (known === undefined) values.set(key, [value])
    else known.push(value)
  }
  const map = new HashMap()
  for (const [key, list] of values) map.insert(key, new ArrayList(list))
  return map
}

function format({ scheme, user, host, path, query }: UrlParts): string {
  const authority = host === '' && user === '' ? '' : `//${user === '' ? '' : `${user}@`}${host}`
  return `${scheme === '' ? '' : `${scheme}:`}${authority}${escapedPath(path)}${query === '' ? '' : `?${query}`}`
}
