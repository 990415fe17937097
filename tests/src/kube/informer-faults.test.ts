import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ApiServerOptions, startApiServer } from '@orrery/apiserver'
import { ConfigMap } from '@orrery/kinds'
import { type StatusError, serviceUnavailable, tooManyRequests } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { temporaryDirectory } from '../support/server.js'
import { FaultyTransport } from './faulty-transport.js'
import { equalsFreshList, Informers, listener, pass } from './informer-subject.js'

/** An informer on a server in the process, over a faulty transport, with a fake clock. */
async function start(t: TestContext, options: ApiServerOptions = {}) {
  const clock = new FakeClock(new Date())
  const server = await startApiServer({ host: false, clock, ...options })
  const transport = new FaultyTransport(server.client().transport)
  const client = server.client()
  const informers = new Informers(new KubeClient(transport), { clock, freeze: true })
  t.after(async () => {
    await informers.close()
    await server.close()
  })
  const informer = informers.of(ConfigMap, { namespace: 'default' })
  const known = listener(informer)
  await informer.whenSynced()
  const put = (name: string, value: string) =>
    client.apply(ConfigMap, { metadata: { namespace: 'default', name }, data: { value } }, { fieldManager: 'test' })
  return { clock, server, transport, client, informers, informer, known, put }
}

test('informer: the server restarts, with changes before and after', async (t) => {
  const dataDirectory = await temporaryDirectory(t)
  const { clock, server, transport, informer, known, put } = await start(t, { dataDirectory })
  await put('before', '1')
  transport.target = undefined
  await server.close()
  await pass(clock, 60_000)
  assert.notEqual(informer.health.failingSince, undefined)
  const again = await startApiServer({ host: false, clock, dataDirectory })
  t.after(() => again.close())
  const client = again.client()
  await client.apply(
    ConfigMap,
    { metadata: { namespace: 'default', name: 'after' }, data: {} },
    { fieldManager: 'test' },
  )
  transport.target = client.transport
  await pass(clock, 61_000)
  await equalsFreshList(client, informer, known)
  assert.equal(informer.health.failingSince, undefined)
  assert.equal(informer.stats.fills, 1, 'nothing had to be fetched twice')
})

test('informer: history expires while the connection is down', async (t) => {
  const { clock, server, transport, client, informer, known, put } = await start(t)
  await put('stays', '1')
  await put('changes', '1')
  await put('goes', '1')
  await equalsFreshList(client, informer, known)
  const target = transport.target
  transport.target = undefined
  transport.breakStreams()
  await put('changes', '2')
  await client.delete(ConfigMap, { namespace: 'default', name: 'goes' })
  await put('comes', '1')
  await server.compact()
  const changes: string[] = []
  const stop = informer.subscribe((change) => {
    if (change.initial) return
    changes.push(`${change.type} ${(change.after ?? change.before).metadata.name}`)
  })
  transport.target = target
  await pass(clock, 10_000)
  stop()
  await equalsFreshList(client, informer, known)
  assert.deepEqual(changes.sort(), ['added comes', 'deleted goes', 'updated changes'])
  assert.equal(informer.stats.fills, 2)
})

test('informer: a connection dies without notice', async (t) => {
  const { clock, transport, client, informer, known, put } = await start(t)
  transport.silenceStreams()
  await put('unheard', '1')
  await pass(clock, 139_000)
  assert.equal(informer.size, (await client.list(ConfigMap, { namespace: 'default' })).items.length - 1)
  await pass(clock, 2_000)
  await equalsFreshList(client, informer, known)
  assert.equal(informer.stats.fills, 1)
  assert.equal(informer.stats.failures, 0)
})

test('informer: an idle connection is kept while the server sends bookmarks', async (t) => {
  const { clock, informer } = await start(t)
  await pass(clock, 290_000)
  assert.equal(informer.stats.watches, 1)
  await pass(clock, 320_000)
  assert.equal(informer.stats.watches, 2, 'its time was up')
  assert.equal(informer.stats.fills, 1)
})

test('informer: a subscriber is slow', async (t) => {
  const { client, informer, known, put } = await start(t)
  informer.subscribe(() => {
    const until = performance.now() + 2
    while (performance.now() < until);
  })
  for (let index = 0; index < 50; index++) await put(`n${index}`, 'new')
  await Promise.all(Array.from({ length: 150 }, (_, index) => put(`n${index % 50}`, String(index))))
  await equalsFreshList(client, informer, known)
  assert.equal(informer.stats.fills, 1)
})

test('informer: an hour of changes and faults', async (t) => {
  const { clock, server, transport, client, informer, known, put } = await start(t)
  const target = transport.target
  const random = seeded(20_300_101)
  const fail = (...failures: StatusError[]) => {
    transport.failures.splice(0, 2, ...failures)
    transport.breakStreams()
  }
  const faults = [
    () => transport.breakStreams(),
    () => transport.silenceStreams(),
    () => fail(tooManyRequests('slow down', 3)),
    () => fail(serviceUnavailable('starting'), serviceUnavailable('starting')),
    () => {
      transport.target = undefined
      transport.breakStreams()
    },
    () => server.compact(),
  ]
  for (let minute = 0; minute < 60; minute++) {
    for (let second = 0; second < 60; second += 5) {
      for (let writes = random(4); writes > 0; writes--) {
        const name = `n${random(30)}`
        if (random(4) === 0) await client.ensureDeleted(ConfigMap, { namespace: 'default', name })
        else await put(name, String(random(1000)))
      }
      if (random(20) === 0) await faults[random(faults.length)]?.()
      await pass(clock, 5_000, 5_000)
      if (random(3) === 0) transport.target = target
    }
  }
  transport.target = target
  await pass(clock, 180_000)
  await equalsFreshList(client, informer, known)
  assert.equal(informer.health.failingSince, undefined)
  assert.ok(informer.stats.fills > 1 && informer.stats.failures > 10, JSON.stringify(informer.stats))
})

test('informer: two informers of one server have the same state, however they got it', async (t) => {
  const { client, informers, informer, put } = await start(t)
  await put('x', '1')
  const everywhere = informers.of(ConfigMap)
  const metadata = informers.metadataOf(ConfigMap, { namespace: 'default' })
  await informers.whenSynced()
  await put('x', '2')
  await put('y', '1')
  await equalsFreshList(client, informer)
  await equalsFreshList(client, everywhere)
  const versions = () => metadata.list().map((object) => object.metadata.resourceVersion)
  const expected = informer.list().map((object) => object.metadata.resourceVersion)
  await eventually('the other has come as far', () => versions().sort().join() === expected.sort().join())
  assert.deepEqual(Object.keys(metadata.list()[0] ?? {}).sort(), ['apiVersion', 'kind', 'metadata'])
})

function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
