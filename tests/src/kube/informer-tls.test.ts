import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'
import { clientFrom, equalsFreshList, Informers, listener, pass } from './informer-subject.js'
import { startRelay } from './relay.js'

async function follow(t: TestContext, config: Parameters<typeof clientFrom>[0], clock: Clock) {
  const client = await clientFrom(config, { checkInterval: 0 })
  const informers = new Informers(client, { clock })
  afterwards(t, async () => {
    await informers.close()
    client.close()
  })
  const informer = informers.of(ConfigMap, { namespace: 'default' })
  const known = listener(informer)
  await informer.whenSynced()
  const put = (name: string) =>
    client.apply(ConfigMap, { metadata: { namespace: 'default', name }, data: {} }, { fieldManager: 'test' })
  return { client, informer, known, put }
}

/** A much faster clock with short pauses. */
const hurried: Clock = {
  now: () => systemClock.now(),
  elapsed: () => systemClock.elapsed() * 20,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 20, callback),
}

test('informer over TLS: the server is killed, and restarts at another address', async (t) => {
  const dataDirectory = await temporaryDirectory(t)
  const first = await startServer(t, { dataDirectory })
  const { client, informer, known, put } = await follow(t, first.kubeconfig, hurried)
  await put('before')
  await first.stop('SIGKILL')
  await eventually('the informer has noticed', () => informer.health.failingSince !== undefined)
  await startServer(t, { dataDirectory })
  await put('after')
  await equalsFreshList(client, informer, known)
  assert.equal(informer.stats.fills, 1, 'nothing had to be fetched twice')
})

test('informer over TLS: every certificate and key is replaced: authority, server and client', async (t) => {
  const dataDirectory = await temporaryDirectory(t)
  const first = await startServer(t, { dataDirectory })
  const { client, informer, known, put } = await follow(t, first.kubeconfig, hurried)
  await put('before')
  await first.stop()
  await rm(join(dataDirectory, 'pki'), { recursive: true })
  const second = await startServer(t, { dataDirectory })
  assert.notDeepEqual(second.credentials.ca, first.credentials.ca)
  await put('after')
  await equalsFreshList(client, informer, known)
  assert.equal(informer.stats.fills, 1)
})

test('informer over TLS: the connection dies without notice', async (t) => {
  const { url, credentials } = await startServer(t)
  const relay = await startRelay(t, Number(new URL(url).port))
  const clock = new FakeClock()
  const config = {
    server: `https://127.0.0.1:${relay.port}`,
    certificateAuthority: { text: credentials.ca.toString() },
    clientCertificate: { text: credentials.cert.toString() },
    clientKey: { text: credentials.key.toString() },
  }
  const { informer, known } = await follow(t, config, clock)
  const direct = await clientFrom({ ...config, server: url })
  afterwards(t, () => direct.close())
  relay.goSilent()
  const connections = relay.connections
  await direct.create(ConfigMap, { metadata: { namespace: 'default', name: 'unheard' } })
  await pass(clock, 139_000)
  assert.equal(relay.connections, connections)
  await pass(clock, 2_000)
  await equalsFreshList(direct, informer, known)
  assert.ok(relay.connections > connections)
  assert.equal(informer.stats.fills, 1)
})
