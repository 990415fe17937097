import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { ConfigMap } from '@orrery/kinds'
import { isAlreadyExists, StatusError } from '@orrery/kinds/values'
import type { Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { eventually } from '@orrery/kube/testing'
import { ConnectionError } from '@orrery/kube/transport'
import { afterwards } from '../support/server.js'
import { BadWire, type Damage } from './bad-wire.js'
import { clientFrom, equalsFreshList, Informers, listener } from './informer-subject.js'

const MEBIBYTE = 1024 * 1024
const namespace = 'default'
const SEED = Number(process.env.ORRERY_SEED ?? 1)

/** A much faster clock, so that the test can wait for pauses and limits. */
const hurried: Clock = {
  now: systemClock.now,
  elapsed: () => systemClock.elapsed() * 200,
  after: (milliseconds, callback) => systemClock.after(milliseconds / 200, callback),
}

async function start(t: TestContext) {
  const server = await startApiServer({ host: false })
  afterwards(t, () => server.close())
  const wire = await BadWire.start(t, server.client().transport)
  const client = await clientFrom({ server: `http://127.0.0.1:${wire.port}` }, { clock: hurried, environment: {} })
  const informers = new Informers(client, { clock: hurried })
  afterwards(t, async () => {
    await informers.close()
    client.close()
  })
  return { wire, client, informers, direct: server.client() }
}

const damages: Readonly<Record<string, (after: number) => Damage>> = {
  'is reset': (after) => ({ kind: 'reset', after }),
  'is closed in the middle': (after) => ({ kind: 'end', after }),
  'garbles what it carries': (after) => ({ kind: 'garble', after }),
  'falls silent': (after) => ({ kind: 'stall', after }),
  'gives out byte by byte': () => ({ kind: 'trickle' }),
}

/** Positions in heads and in bodies, the same in every run. */
function places(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) ** 2 * 3_000)
  }
}

for (const [what, damage] of Object.entries(damages)) {
  test(`bad wire: an informer is up to date on a wire that ${what}, and writes report their result`, async (t) => {
    const { wire, client, informers, direct } = await start(t)
    const next = places(SEED)
    wire.damage = () => damage(next())
    const informer = informers.of(ConfigMap, { namespace })
    const known = listener(informer)
    const done = new Set<string>()
    const outcomes = Array.from({ length: 20 }, async (_, index) => {
      const name = `n${index}`
      try {
        await client.create(ConfigMap, { metadata: { namespace, name }, data: { text: 'x'.repeat(200) } })
        done.add(name)
      } catch (error) {
        if (isAlreadyExists(error)) done.add(name)
        else assert.ok(error instanceof ConnectionError || error instanceof StatusError, String(error))
      }
    })
    await Promise.all(outcomes)
    wire.damage = () => undefined
    for (const name of ['n0', 'last'])
      await direct.apply(ConfigMap, { metadata: { namespace, name }, data: {} }, { fieldManager: 'test' })
    await informer.whenSynced()
    await eventually('no request is in flight', () => wire.isSettled)
    await equalsFreshList(direct, informer, known)
    for (const name of done) assert.ok(informer.get({ namespace, name }), `${name} was said to be created`)
    assert.equal(informer.health.failingSince, undefined)
    await informers.close()
    client.close()
    await eventually('all connections are closed', () => wire.open === 0)
  })
}

test('bad wire: objects of ten mebibytes arrive in chunks, in a list and in a watch', async (t) => {
  const text = 'ä'.repeat(5 * MEBIBYTE)
  const big = (resourceVersion: string) => ({
    metadata: { namespace, name: 'big', uid: 'u', resourceVersion, creationTimestamp: '2030-01-01T00:00:00Z' },
    data: { text },
  })
  const bookmark = { metadata: { resourceVersion: '2', annotations: { 'k8s.io/initial-events-end': 'true' } } }
  const events = [
    { type: 'ADDED', object: big('1') },
    { type: 'BOOKMARK', object: bookmark },
    { type: 'MODIFIED', object: big('3') },
  ]
  const answers = {
    list: JSON.stringify({ metadata: { resourceVersion: '2' }, items: [big('1')] }),
    watch: events.map((event) => `${JSON.stringify(event)}\n`).join(''),
  }
  const target: Transport = {
    async request({ path, signal }) {
      const isWatch = path.includes('watch=true')
      const body = pieces(Buffer.from(isWatch ? answers.watch : answers.list), isWatch ? signal : undefined)
      return { status: 200, headers: {}, body, bytes: () => Promise.reject(new Error('not asked for')) }
    },
  }
  const wire = await BadWire.start(t, target)
  const client = await clientFrom({ server: `http://127.0.0.1:${wire.port}` }, { environment: {} })
  const informers = new Informers(client)
  afterwards(t, async () => {
    await informers.close()
    client.close()
  })
  const { items } = await client.list(ConfigMap, { namespace })
  assert.equal(items[0]?.data?.text, text)
  const informer = informers.of(ConfigMap, { namespace })
  await eventually('the change has come', () => informer.list()[0]?.metadata.resourceVersion === '3')
  assert.equal(informer.list()[0]?.data?.text, text)
  assert.deepEqual(informer.stats, { objects: 1, fills: 1, watches: 1, events: 2, failures: 0 })
})

/**
 * Split at odd positions, also within characters. With a signal the stream stays open without data until that is
 * aborted.
 */
async function* pieces(bytes: Buffer, until: AbortSignal | undefined): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 9_973) yield bytes.subarray(at, at + 9_973)
  if (until !== undefined && !until.aborted) await once(until, 'abort')
}
