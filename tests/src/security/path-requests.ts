import type { Attributes } from './rbac-oracle.js'

/** A resource or subresource (`pods/log`) as discovery lists it. */
export interface Served {
  readonly group: string
  readonly version: string
  readonly name: string
  readonly kind: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  /** Served by the embedding program, which need not support selectors. */
  readonly embedded: boolean
}

/** One request, with its meaning by Kubernetes' rules for paths. */
export interface PathRequest {
  readonly method: string
  readonly contentType: string
  readonly path: string
  readonly body: string | undefined
  readonly asked: Attributes
  /** Whether Kubernetes has a route for this path. Without a route, a request has no effect for any user. */
  readonly routed: boolean
}

/** The namespace that most identities have a role in, and one without a role. */
export const OWN = 'team-own'
export const OTHER = 'team-other'
/** The name of the requested objects. */
export const PROBE = 'probe'

const PATCHES = ['merge-patch+json', 'json-patch+json', 'strategic-merge-patch+json', 'apply-patch+yaml']
const JSON_TYPE = 'application/json'

/**
 * Whether it is a request's turn: a user sends one type of patch to a resource, the next user sends the next type. RBAC
 * knows one verb for all of them.
 */
export function isInTurn({ method, contentType }: PathRequest, turn: number): boolean {
  return method !== 'PATCH' || contentType === `application/${PATCHES[turn % PATCHES.length]}`
}

interface Call {
  readonly method: string
  readonly contentType: string
  readonly verb: string
  readonly isNamed: boolean
  readonly query: string
  /** The body for an object of a name. */
  readonly body: ((name: string) => unknown) | undefined
}

/** Every verb, on one object or on all. */
function callsFor({ group, version, kind, name }: Served): Call[] {
  const apiVersion = group === '' ? version : `${group}/${version}`
  const object = (name: string) => ({ apiVersion, kind, metadata: { name, labels: { touched: 'yes' } } })
  const call = (method: string, verb: string, isNamed: boolean, more: Partial<Call> = {}): Call => ({
    method,
    verb,
    isNamed,
    contentType: JSON_TYPE,
    query: '',
    body: undefined,
    ...more,
  })
  const patch = (type: string) =>
    call('PATCH', 'patch', true, {
      contentType: `application/${type}`,
      query: type.startsWith('apply') ? 'fieldManager=attacker&force=true' : '',
      body: type.startsWith('json-patch')
        ? () => [{ op: 'add', path: '/metadata/labels', value: { touched: 'yes' } }]
        : object,
    })
  const onOne = [
    call('GET', 'get', true),
    call('PUT', 'update', true, { body: object }),
    ...PATCHES.map(patch),
    call('DELETE', 'delete', true),
  ]
  if (name.includes('/')) return [...onOne, call('POST', 'create', true, { body: object })]
  return [
    ...onOne,
    call('GET', 'list', false),
    call('GET', 'watch', false, { query: 'watch=1' }),
    call('POST', 'create', false, { body: object }),
    call('DELETE', 'deletecollection', false),
  ]
}

/** The position of a resource in a path. */
interface Place {
  /** Between the version and the resource. */
  readonly prefix: string
  readonly namespace: string
  /** A second namespace in the path. */
  readonly inner?: string
}

const PLACES: readonly Place[] = [
  { prefix: '', namespace: '' },
  { prefix: `namespaces/${OWN}/`, namespace: OWN },
  { prefix: `namespaces/${OTHER}/`, namespace: OTHER },
  { prefix: `namespaces/${OWN}/namespaces/${OTHER}/`, namespace: OWN, inner: OTHER },
  { prefix: `namespaces/${OTHER}/namespaces/${OWN}/`, namespace: OTHER, inner: OWN },
]

/** Every request for a resource: all verbs in all positions, plain and with the verb before the resource. */
export function requestsFor(served: Served): PathRequest[] {
  if (served.group === '' && served.name.split('/')[0] === 'namespaces') return namespaceRequests(served)
  const requests: PathRequest[] = []
  for (const place of PLACES) {
    for (const call of callsFor(served)) requests.push(requestOf(served, place, call, PROBE))
    if (!served.name.includes('/')) requests.push(...specialRequests(served, place))
  }
  return requests
}

const rootOf = ({ group, version }: Served) => (group === '' ? `/api/${version}` : `/apis/${group}/${version}`)

function requestOf(served: Served, place: Place, call: Call, object: string): PathRequest {
  const [plural = '', subresource] = served.name.split('/')
  const segments = [plural, ...(call.isNamed ? [object] : []), ...(subresource === undefined ? [] : [subresource])]
  const { namespace, inner } = place
  const asked: Attributes =
    inner === undefined
      ? { verb: call.verb, group: served.group, resource: served.name, namespace, name: call.isNamed ? object : '' }
      : // The inner namespace is the object, and the resource is its subresource.
        { verb: itemVerb(call), group: served.group, resource: `namespaces/${plural}`, namespace, name: inner }
  const isScopeRight = served.namespaced
    ? place.namespace !== '' || call.verb === 'list' || call.verb === 'watch'
    : place.namespace === ''
  return {
    method: call.method,
    contentType: call.contentType,
    path: `${rootOf(served)}/${place.prefix}${segments.join('/')}${call.query === '' ? '' : `?${call.query}`}`,
    body: call.body === undefined ? undefined : JSON.stringify(call.body(object)),
    asked,
    routed: isScopeRight && inner === undefined && served.verbs.includes(call.verb),
  }
}

/** The verb of the same method on one object. */
function itemVerb({ method, verb }: Call): string {
  if (method === 'GET') return 'get'
  return method === 'DELETE' ? 'delete' : verb
}

/** The legacy `watch/` and `proxy/` prefixes, a selector for one object, a path that is too long. */
function specialRequests(served: Served, place: Place): PathRequest[] {
  if (place.inner !== undefined) return []
  const list: Call = {
    method: 'GET',
    verb: 'list',
    isNamed: false,
    contentType: JSON_TYPE,
    query: '',
    body: undefined,
  }
  const watch = { ...list, verb: 'watch' }
  const prefixed = (request: PathRequest, prefix: string): PathRequest => ({
    ...request,
    path: request.path.replace(`${rootOf(served)}/`, `${rootOf(served)}/${prefix}/`),
  })
  const pinned = requestOf(served, place, { ...list, query: `fieldSelector=metadata.name%3D${PROBE}` }, PROBE)
  const proxied = requestOf(served, place, { ...list, verb: 'proxy', isNamed: true }, PROBE)
  const tooLong = requestOf(served, place, { ...list, verb: 'get', isNamed: true }, `${PROBE}/status/more`)
  const canWatch = served.verbs.includes('watch')
  const isNamedInNamespace = !served.namespaced || place.namespace !== ''
  const named = requestOf(served, place, { ...watch, isNamed: true }, PROBE)
  return [
    prefixed(requestOf(served, place, watch, PROBE), 'watch'),
    { ...prefixed(named, 'watch'), routed: named.routed && canWatch && isNamedInNamespace },
    { ...pinned, asked: { ...pinned.asked, name: served.embedded ? '' : PROBE } },
    { ...prefixed(proxied, 'proxy'), routed: false },
    { ...tooLong, asked: { ...tooLong.asked, name: PROBE, resource: `${served.name}/status` }, routed: false },
  ]
}

/** A Namespace is in the namespace of its own name only. */
function namespaceRequests(served: Served): PathRequest[] {
  const requests: PathRequest[] = served.name === 'namespaces' ? namespaceWatches(served) : []
  const nowhere: Place = { prefix: '', namespace: '' }
  for (const call of callsFor(served)) {
    for (const name of [OWN, OTHER]) {
      const plain = requestOf(served, nowhere, call, name)
      requests.push(call.isNamed ? { ...plain, asked: { ...plain.asked, namespace: name } } : plain)
      for (const outer of [OWN, OTHER]) {
        const place: Place = { prefix: `namespaces/${outer}/`, namespace: outer }
        requests.push({ ...requestOf(served, place, call, name), routed: false })
      }
    }
  }
  return requests
}

/** The legacy watches of one Namespace. */
function namespaceWatches(served: Served): PathRequest[] {
  const place: Place = { prefix: 'watch/', namespace: '' }
  const watch: Call = {
    method: 'GET',
    verb: 'watch',
    isNamed: true,
    contentType: JSON_TYPE,
    query: '',
    body: undefined,
  }
  return [OWN, OTHER].flatMap((name) => {
    const plain = requestOf(served, place, watch, name)
    const below = requestOf(served, { prefix: `watch/namespaces/${OWN}/`, namespace: OWN }, watch, name)
    return [
      { ...plain, asked: { ...plain.asked, namespace: name } },
      { ...below, routed: false },
    ]
  })
}
