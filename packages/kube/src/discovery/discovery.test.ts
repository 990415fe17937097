import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isNotFound } from '@orrery/kinds/values'
import { FakeClock } from '../testing/fake-clock.js'
import { Discovery } from './discovery.js'
import { isNoMatch } from './no-match.js'
import { aggregatedResource, DocumentServer, taggedList } from './testing.fixture.js'

const core = taggedList('"core"', [
  { versions: [{ version: 'v1', resources: [aggregatedResource('pods', 'Pod', { shortNames: ['po'] })] }] },
])

const shop = (...kinds: string[]) => [
  {
    metadata: { name: 'shop.example.com' },
    versions: [{ version: 'v1', resources: kinds.map((kind) => aggregatedResource(`${kind.toLowerCase()}s`, kind)) }],
  },
]

function start() {
  const server = new DocumentServer()
  server.documents.set('/api', core)
  server.documents.set('/apis', taggedList('"1"', shop('Widget')))
  const clock = new FakeClock()
  return { server, clock, discovery: new Discovery(server.client, { clock, ttlMilliseconds: 60_000 }) }
}

test('Discovery: caches what it read for a while', async () => {
  const { server, clock, discovery } = start()
  assert.equal((await discovery.resolve('po')).plural, 'pods')
  assert.equal((await discovery.resolve('widget')).plural, 'widgets')
  assert.equal(server.requests.length, 2)
  clock.advance(59_000)
  const first = await discovery.catalog()
  assert.equal(server.requests.length, 2)
  clock.advance(2_000)
  assert.equal(await discovery.catalog(), first, 'nothing changed, so nothing is read again')
  assert.equal(server.requests.length, 4)
  assert.equal(server.requests.at(-1)?.headers?.['if-none-match'], '"1"')
})

test('Discovery: reads again if something is not found', async () => {
  const { server, discovery } = start()
  await discovery.catalog()
  server.documents.set('/apis', taggedList('"2"', shop('Widget', 'Gadget')))
  const gadget = await discovery.kindOf({ apiVersion: 'shop.example.com/v1', kind: 'Gadget' })
  assert.equal(gadget.plural, 'gadgets')
  assert.equal(server.count('/apis'), 2)
  await assert.rejects(discovery.resolve('gizmo'), (error) => isNoMatch(error) && isNotFound(error))
  assert.equal(server.count('/apis'), 3)
})

test('Discovery: concurrent misses share one request', async () => {
  const { server, discovery } = start()
  await discovery.catalog()
  const lookups = Array.from({ length: 50 }, () => discovery.resolve('gizmo'))
  for (const { status } of await Promise.allSettled(lookups)) assert.equal(status, 'rejected')
  assert.ok(server.count('/apis') <= 3, `${server.count('/apis')} requests`)
})

test('Discovery: after invalidate, a response to an earlier request does not count', async () => {
  const { server, discovery } = start()
  const before = taggedList('"1"', shop('Widget'))
  const after = taggedList('"2"', shop('Gadget'))
  server.documents.set('/apis', (request) => (server.count('/apis') === 1 ? before : after)(request))
  const underway = discovery.catalog()
  discovery.invalidate()
  const latest = discovery.catalog()
  assert.ok((await underway).match('widget'))
  assert.ok((await latest).match('gadget'))
  assert.equal(await discovery.catalog(), await latest)
  assert.equal(server.count('/apis'), 2)
})

test('Discovery: a comma-separated list may contain categories', async () => {
  const { server, discovery } = start()
  server.documents.set(
    '/apis',
    taggedList('"3"', [
      {
        metadata: { name: 'shop.example.com' },
        versions: [
          {
            version: 'v1',
            resources: ['Widget', 'Gadget'].map((kind) =>
              aggregatedResource(`${kind.toLowerCase()}s`, kind, { categories: ['goods'] }),
            ),
          },
        ],
      },
    ]),
  )
  const found = await discovery.resolveAll('gadgets,po,goods')
  assert.deepEqual(
    found.map(({ plural }) => plural),
    ['gadgets', 'pods', 'widgets'],
  )
  await assert.rejects(discovery.resolveAll('po,nope'), isNoMatch)
})

test('Discovery: one root may be missing or forbidden, but not both', async () => {
  const { server, discovery } = start()
  server.documents.set('/api', { status: 403, body: 'no' })
  assert.equal((await discovery.resolve('widgets')).kind, 'Widget')
  server.documents.delete('/apis')
  await assert.rejects(discovery.refresh(), /no/)
  server.documents.set('/apis', { status: 500, body: 'broken' })
  await assert.rejects(discovery.refresh(), /broken/)
})

test('Discovery: reads again after a failure', async () => {
  const { server, discovery } = start()
  server.documents.set('/apis', { status: 500, body: 'broken' })
  await assert.rejects(discovery.resolve('po'), /broken/)
  server.documents.set('/apis', taggedList('"1"', shop('Widget')))
  assert.equal((await discovery.resolve('po')).kind, 'Pod')
})

test('Discovery: rejects anything but a discovery document', async () => {
  const { server, discovery } = start()
  server.documents.set('/apis', { body: { hello: 'world' } })
  await assert.rejects(discovery.catalog(), /\/apis is not a discovery document/)
  for (const items of [5, [null], [{ versions: 5 }]]) {
    server.documents.set('/apis', { body: { kind: 'APIGroupDiscoveryList', items } })
    await assert.rejects(discovery.catalog(), { name: 'StatusError', message: /\/apis is not/ })
  }
  server.documents.set('/apis', { body: { kind: 'APIGroupList', groups: [null] } })
  await assert.rejects(discovery.catalog(), { name: 'StatusError', message: /\/apis is not/ })
})

test('Discovery: reads each version from servers without aggregated discovery', async () => {
  const { server, discovery } = start()
  server.documents.set('/api', { body: { kind: 'APIVersions', versions: ['v1'] } })
  server.documents.set('/api/v1', { body: { resources: [{ name: 'pods', kind: 'Pod', namespaced: true }] } })
  server.documents.set('/apis', {
    body: {
      kind: 'APIGroupList',
      groups: [
        { name: 'metrics.k8s.io', versions: [{ version: 'v1beta1' }] },
        { name: 'apps', versions: [{ version: 'v1' }] },
      ],
    },
  })
  server.documents.set('/apis/metrics.k8s.io/v1beta1', { status: 503, body: 'no endpoints' })
  server.documents.set('/apis/apps/v1', {
    body: { resources: [{ name: 'deployments', kind: 'Deployment', namespaced: true }] },
  })
  assert.equal((await discovery.resolve('pod')).scope, 'Namespaced')
  assert.equal((await discovery.resolve('deployments.apps')).kind, 'Deployment')
  const { unavailable } = await discovery.catalog()
  assert.deepEqual([...unavailable], [['metrics.k8s.io/v1beta1', 'no endpoints']])
})

test('Discovery: an aborted caller does not affect others', async () => {
  const { server, discovery } = start()
  let open = (): void => undefined
  server.gate = new Promise((resolve) => {
    open = resolve
  })
  const abort = new AbortController()
  const impatient = discovery.resolve('po', { signal: abort.signal })
  const patient = discovery.resolve('po', { signal: new AbortController().signal })
  abort.abort(new Error('enough'))
  await assert.rejects(impatient, /enough/)
  await assert.rejects(discovery.resolve('po', { signal: abort.signal }), /enough/)
  open()
  assert.equal((await patient).kind, 'Pod')
})

test('kindOf: rejects an apiVersion with more than one slash', async () => {
  await assert.rejects(start().discovery.kindOf({ apiVersion: 'a/b/c', kind: 'X' }), /not an apiVersion: "a\/b\/c"/)
})

test('serverVersion: returns numbers, also for the suffixes of providers', async () => {
  const { server, discovery } = start()
  const said = (body: object) => {
    server.documents.set('/version', { body })
    return discovery.version()
  }
  assert.deepEqual(await said({ major: '1', minor: '27+', gitVersion: 'v1.27.3-gke.100', platform: 'linux/amd64' }), {
    major: 1,
    minor: 27,
    gitVersion: 'v1.27.3-gke.100',
    platform: 'linux/amd64',
  })
  assert.deepEqual(await said({ gitVersion: 'v1.30.1' }), { major: 1, minor: 30, gitVersion: 'v1.30.1', platform: '' })
  assert.equal((await said({})).minor, 0)
})
