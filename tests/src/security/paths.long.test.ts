import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Identity } from '@orrery/apiserver'
import { rounds } from '../support/length.js'
import { type PathCluster, readPolicy, snapshot, startPathCluster } from './path-cluster.js'
import { identitiesOf, type Person } from './path-identities.js'
import { isInTurn, OTHER, OWN, type PathRequest, requestsFor, type Served } from './path-requests.js'
import { RbacOracle } from './rbac-oracle.js'
import { TlsSender } from './tls-sender.js'

const CONCURRENCY = 64
/** Which resources an identity requests: each, or every third, the next identity the next ones. */
const STEP = rounds('ORRERY_PATHS_STEP', { few: 3, many: 1 })
/** The authorizer's message, as opposed to an admission plugin's. */
const NO_PERMISSION = /cannot [a-z]+ resource/

interface Outcome {
  readonly status: number
  readonly text: string
}

interface Item {
  readonly metadata?: { readonly namespace?: string; readonly name?: string }
}

test('paths: only RBAC decides on every resource, verb and scope for every kind of identity', {
  timeout: 300_000,
}, async (t) => {
  const cluster = await startPathCluster(t)
  assert.ok(cluster.probes > 60, `${cluster.probes} objects to attack`)
  const people = await identitiesOf(cluster)
  const oracle = new RbacOracle(await readPolicy(cluster.client))
  const requests = cluster.served.flatMap((served, position) =>
    requestsFor(served).map((request) => ({ served, position, request })),
  )
  const before = await snapshot(cluster)
  const wrong: string[] = []
  const counts = { allowed: 0, denied: 0 }
  let sent = 0
  // Over the network impersonation is a header. Here it would be the same identity again.
  const inside = people.filter(({ shown }) => shown.headers === undefined)
  for (const [turn, { label, identity }] of inside.entries()) {
    const inTurn = requests.filter(
      ({ position, request }) => (position + turn) % STEP === 0 && isInTurn(request, position + turn),
    )
    sent += inTurn.length
    await inParallel(inTurn, async ({ served, request }) => {
      const isAllowed = oracle.allows(identity, request.asked)
      counts[isAllowed ? 'allowed' : 'denied']++
      const outcome = await sendInside(cluster, identity, request, isAllowed)
      const problem = problemOf(outcome, served, request, isAllowed)
      if (problem !== undefined) wrong.push(`${label}: ${request.method} ${request.path}: ${problem}`)
    })
  }
  assert.deepEqual(wrong.slice(0, 20), [], `${wrong.length} of ${sent}`)
  assert.ok(counts.allowed > 1000 && counts.denied > 1000, JSON.stringify(counts))
  assert.deepEqual(await snapshot(cluster), before)

  await t.test('over HTTP/1.1 and HTTP/2 with real credentials', () =>
    overTls(cluster, people.filter(hasOwnKindOfCredential), requests.filter(isTelling), oracle),
  )
  assert.deepEqual(await snapshot(cluster), before)
})

interface Case {
  readonly served: Served
  readonly request: PathRequest
}

/** One user with a client certificate stands for all of them. */
function hasOwnKindOfCredential({ label, shown }: Person): boolean {
  const hasOnlyCertificate = shown.certificate !== undefined && shown.headers === undefined
  return !hasOnlyCertificate || label === 'owner' || label === 'agent'
}

/** Resources of each scope and origin, where connections could differ. */
function isTelling({ served: { group, name } }: Case): boolean {
  const telling = ['namespaces', 'namespaces/finalize', 'nodes', 'secrets']
  return (
    group === 'metrics.k8s.io' ||
    (group === 'paths.example.test' && !name.includes('/')) ||
    (group === '' && telling.includes(name))
  )
}

async function overTls(cluster: PathCluster, people: readonly Person[], cases: readonly Case[], oracle: RbacOracle) {
  const wrong: string[] = []
  for (const [turn, { label, shown, identity }] of people.entries()) {
    const senders = await Promise.all(
      ['http/1.1', 'h2'].map((protocol) => TlsSender.open(cluster.server, shown, protocol)),
    )
    try {
      let sent = 0
      const inTurn = cases.filter((_, position) => (position + turn) % STEP === 0)
      await inParallel(inTurn, async ({ served, request }) => {
        const isAllowed = oracle.allows(identity, request.asked)
        const sender = senders[sent++ % senders.length] as TlsSender
        const outcome = await sender.send(withQuery(request, isAllowed))
        const problem = problemOf(outcome, served, request, isAllowed)
        if (problem !== undefined)
          wrong.push(`${label}: ${sender.protocol} ${request.method} ${request.path}: ${problem}`)
      })
    } finally {
      for (const sender of senders) sender.close()
    }
  }
  assert.deepEqual(wrong.slice(0, 20), [])
}

/** Allowed requests are dry runs; others must not change anything by themselves. */
function withQuery(request: PathRequest, isAllowed: boolean): PathRequest {
  if (!isAllowed || !request.routed || request.method === 'GET') return request
  return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}dryRun=All` }
}

async function sendInside(
  { server }: PathCluster,
  identity: Identity,
  asked: PathRequest,
  isAllowed: boolean,
): Promise<Outcome> {
  const { method, path, contentType, body } = withQuery(asked, isAllowed)
  const stop = asked.asked.verb === 'watch' ? new AbortController() : undefined
  const response = await server.client({ identity }).raw({
    method,
    path,
    ...(stop !== undefined && { signal: stop.signal }),
    ...(body !== undefined && { body, headers: { 'content-type': contentType } }),
  })
  const isStream = stop !== undefined && response.status === 200
  const text = isStream ? '' : (await response.bytes()).toString('utf8')
  if (isStream) stop.abort()
  return { status: response.status, text }
}

/** How an outcome differs from RBAC and the routes; undefined if it does not. */
function problemOf({ status, text }: Outcome, served: Served, request: PathRequest, isAllowed: boolean) {
  const isRefused = status === 403 && NO_PERMISSION.test(text)
  if (!isAllowed) return isRefused ? undefined : `must be forbidden, got ${status} ${text.slice(0, 200)}`
  if (isRefused) return `must be allowed, got ${text.slice(0, 200)}`
  if (!request.routed) {
    return status === 404 || status === 405 ? undefined : `leads nowhere, got ${status} ${text.slice(0, 200)}`
  }
  if (status === 500) return `failed: ${status} ${text.slice(0, 200)}`
  return status === 200 && request.method === 'GET' ? strayObject(text, served, request) : undefined
}

/** Objects from outside the requested namespace. */
function strayObject(text: string, { namespaced, name }: Served, { asked }: PathRequest): string | undefined {
  if (!text.startsWith('{') || asked.verb === 'watch') return undefined
  const parsed = JSON.parse(text) as Item & { items?: Item[] }
  const stray = (parsed.items ?? [parsed]).find(({ metadata }) => {
    const isElsewhere = namespaced && asked.namespace !== '' && metadata?.namespace !== asked.namespace
    return isElsewhere || (asked.name !== '' && metadata?.name !== asked.name)
  })
  if (stray === undefined || name.includes('/')) return undefined
  return `shows ${stray.metadata?.namespace}/${stray.metadata?.name}`
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const next = all[Symbol.iterator]()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let step = next.next(); !step.done; step = next.next()) await work(step.value)
    }),
  )
}

test('paths: a namespace cannot be reached through another one', async (t) => {
  const { server } = await startPathCluster(t)
  const identity = { username: 'owner', uid: '', groups: ['system:authenticated'], extra: {} }
  const owner = server.client({ identity })
  const status = async (method: string, path: string) => (await owner.raw({ method, path })).status
  for (const method of ['GET', 'DELETE', 'PATCH', 'PUT']) {
    assert.equal(await status(method, `/api/v1/namespaces/${OWN}/namespaces/${OTHER}`), 404, method)
    assert.equal(await status(method, `/api/v1/namespaces/${OWN}/namespaces/${OWN}`), 404, method)
  }
  assert.equal(await status('GET', `/api/v1/namespaces/${OWN}`), 200)
  assert.equal(await status('GET', `/api/v1/namespaces/${OWN}/namespaces`), 404)
  assert.equal(await status('GET', `/apis/metrics.k8s.io/v1beta1/namespaces/${OWN}/nodes`), 404)
  assert.equal(await status('DELETE', `/apis/metrics.k8s.io/v1beta1/namespaces/${OWN}/pods`), 405)
})
