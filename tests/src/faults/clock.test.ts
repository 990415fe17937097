import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { ConfigMap } from '@orrery/kinds'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { parse } from 'yaml'
import { Client, revisionOf } from '../support/client.js'
import { temporaryDirectory } from '../support/server.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'
const IN_DEFAULT = { namespace: 'default' }
const DAY = 86_400_000

/** The system clock with an offset. */
class ShiftedClock implements Clock {
  shift = 0
  now(): Date {
    return new Date(Date.now() + this.shift)
  }
  elapsed(): number {
    return systemClock.elapsed()
  }
  after(milliseconds: number, callback: () => void): () => void {
    return systemClock.after(milliseconds, callback)
  }
}

async function start(t: TestContext, dataDirectory: string, clock: Clock): Promise<ApiServer> {
  const server = await startApiServer({ dataDirectory, clock })
  t.after(() => server.close())
  return server
}

async function overNetwork(t: TestContext, server: ApiServer): Promise<Client> {
  const user = parse(await server.kubeconfig()).users[0].user as Record<string, string>
  const pem = (name: string) => Buffer.from(user[name] ?? '', 'base64')
  const credentials = {
    ca: Buffer.from(server.certificateAuthority),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
  }
  const client = new Client({ url: server.url, credentials })
  t.after(() => client.close())
  return client
}

test('clock: revisions and watches do not depend on it', async (t) => {
  const clock = new ShiftedClock()
  const directory = await temporaryDirectory(t)
  let server = await start(t, directory, clock)
  const client = () => server.client()
  let last = Number((await client().list(ConfigMap, IN_DEFAULT)).resourceVersion)
  const events = client().watch(ConfigMap, { ...IN_DEFAULT, resourceVersion: String(last) })
  const names: string[] = []
  for (const [index, shift] of [0, -3650 * DAY, 30 * DAY, -DAY, 0].entries()) {
    clock.shift = shift
    const name = `n${index}`
    const made = await client().create(ConfigMap, { metadata: { ...IN_DEFAULT, name } })
    assert.ok(revisionOf(made) > last)
    last = revisionOf(made)
    const { value } = await events.next()
    names.push(String(value?.object.metadata.name))
  }
  assert.deepEqual(names, ['n0', 'n1', 'n2', 'n3', 'n4'])
  await events.return(undefined)
  await server.close()
  clock.shift = -365 * DAY
  server = await start(t, directory, clock)
  const made = await client().create(ConfigMap, { metadata: { ...IN_DEFAULT, name: 'later' } })
  assert.ok(revisionOf(made) > last)
})

test('clock: a server that started with a wrong clock is trusted once it is right', async (t) => {
  for (const wrong of [-20 * 365 * DAY, 20 * 365 * DAY]) {
    const clock = new ShiftedClock()
    const directory = await temporaryDirectory(t)
    clock.shift = wrong
    const first = await start(t, directory, clock)
    await first.client().create(ConfigMap, { metadata: { ...IN_DEFAULT, name: 'kept' } })
    await first.close()
    clock.shift = 0
    const second = await start(t, directory, clock)
    await (await overNetwork(t, second)).ok('GET', `${COLLECTION}/kept`)
    const before = new X509Certificate(first.certificateAuthority).publicKey
    const after = new X509Certificate(second.certificateAuthority).publicKey
    assert.ok(before.equals(after), 'the key stays, so what it signed stays good')
    await second.close()
  }
})

test('clock: one that was wrong for a while costs no trust', async (t) => {
  const clock = new ShiftedClock()
  const directory = await temporaryDirectory(t)
  const first = await start(t, directory, clock)
  await first.close()
  for (const shift of [-30 * DAY, 300 * DAY, 0]) {
    clock.shift = shift
    const server = await start(t, directory, clock)
    if (shift === 0) await (await overNetwork(t, server)).ok('GET', '/api/v1/namespaces/default')
    await server.close()
  }
})
