import { badRequest } from '@orrery/kinds/values'
import { Query } from './query.js'

/**
 * The target of a request, from its method and URL (upstream: RequestInfo). The grammar:
 *
 *   /api/<version>/…            the core group
 *   /apis/<group>/<version>/…   every other group
 *   … [watch/ | proxy/] [namespaces/<namespace>/] <resource> [/<name> [/<subresource> [/<path…>]]]
 *
 * Anything else is a non-resource request, identified by its path. Authorization and the verbs both use this value.
 */
export interface RequestTarget {
  readonly path: string
  readonly query: Query
  readonly isResource: boolean
  readonly group: string
  readonly version: string
  /** A Namespace is in the namespace of its name. */
  readonly namespace: string
  /** Whether the path has a namespace before the resource, which only namespaced resources may have. */
  readonly isBelowNamespace: boolean
  readonly resource: string
  readonly name: string
  readonly subresource: string
  /** The path after the subresource, for `proxy`: starts with `/` or is empty. */
  readonly rest: string
  /**
   * The Kubernetes verb: `get`, `list`, `watch`, `create`, …, or none; the lower-case method for non-resource requests.
   */
  readonly verb: string
}

/** Verbs that old clients put before the resource. */
const PREFIX_VERBS = new Set(['watch', 'proxy'])
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

/** HTTP/2 allows any method: one that is not listed has no verb. */
const VERB_OF_METHOD: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])

let lastMethod = ''
let lastUrl = ''
let last: RequestTarget | undefined

/**
 * Parses a request line. Throws a 400 for invalid escapes and control characters. Clients often write to one place: the
 * same line as before returns the same target, so that stored entries share its strings.
 */
export function parseTarget(method: string, url: string): RequestTarget {
  if (last !== undefined && url === lastUrl && method === lastMethod) return last
  last = readTarget(method, url)
  lastMethod = method
  lastUrl = url
  return last
}

function readTarget(method: string, url: string): RequestTarget {
  const mark = url.indexOf('?')
  const rawPath = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? Query.empty : Query.parse(url.slice(mark + 1))
  const path = decodePath(rawPath)
  const segments = path.split('/')
  // segments[0] is the empty string before the leading slash.
  const core = segments[1] === 'api'
  const first = core ? 3 : 4
  const tooShort = segments.length <= first || segments[first] === ''
  // Without a name the group would be the core group, which has its own paths.
  const isUnnamed = segments[first - 1] === '' || segments[2] === ''
  if ((!core && segments[1] !== 'apis') || tooShort || isUnnamed) {
    return nonResource(method, path, query)
  }
  const group = core ? '' : (segments[2] ?? '')
  const version = segments[first - 1] ?? ''
  if (segments.at(-1) === '' && segments.length > first + 1) segments.pop()
  let at = first
  const prefixVerb = PREFIX_VERBS.has(segments[at] ?? '') && segments.length - at > 1 ? segments[at++] : undefined
  let namespace = ''
  let isBelowNamespace = false
  if (segments[at] === 'namespaces' && segments.length - at > 1) {
    namespace = segments[at + 1] ?? ''
    isBelowNamespace = segments.length - at > 2 && !NAMESPACE_SUBRESOURCES.has(segments[at + 2] ?? '')
    if (isBelowNamespace) at += 2
  }
  const name = segments[at + 1] ?? ''
  // With the proxy prefix, the path to proxy to follows the name.
  const hasSubresource = prefixVerb !== 'proxy'
  const restAt = hasSubresource ? at + 3 : at + 2
  return {
    path,
    query,
    isResource: true,
    group,
    version,
    namespace,
    isBelowNamespace,
    resource: segments[at] ?? '',
    name,
    subresource: hasSubresource ? (segments[at + 2] ?? '') : '',
    rest: segments.length > restAt ? `/${segments.slice(restAt).join('/')}` : '',
    verb: prefixVerb ?? resourceVerb(method, name, query),
  }
}

function resourceVerb(method: string, name: string, query: Query): string {
  const verb = VERB_OF_METHOD.get(method) ?? ''
  if (verb === 'get' && name === '') return query.flag('watch') ? 'watch' : 'list'
  if (verb === 'delete' && name === '') return 'deletecollection'
  return verb
}

function nonResource(method: string, path: string, query: Query): RequestTarget {
  return {
    path,
    query,
    isResource: false,
    group: '',
    version: '',
    namespace: '',
    isBelowNamespace: false,
    resource: '',
    name: '',
    subresource: '',
    rest: '',
    verb: method.toLowerCase(),
  }
}

function decodePath(raw: string): string {
  if (!raw.includes('%')) return raw
  try {
    return raw.split('/').map(decodeURIComponent).join('/')
  } catch {
    throw badRequest(`invalid URL escape in the path: ${JSON.stringify(raw.slice(0, 100))}`)
  }
}
