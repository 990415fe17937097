import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { KubeClient } from './client/client.js'
import type { HttpResponse } from './client/transport.js'
import { startTestController, turns } from './controller/testing.fixture.js'
import { Informers } from './informer/informers.js'
import { Thing } from './informer/scripted-server.fixture.js'
import { unlessAborted, withTimeLimit } from './signals.js'
import { retrying } from './transport/retrying.js'

const MANY = 30

function answer(status: number, headers: Record<string, string> = {}): HttpResponse {
  const bytes = Buffer.from('{}')
  return { status, headers, body: Readable.from([bytes]), bytes: async () => bytes }
}

/** The warnings of Node.js meanwhile. */
async function warningsOf(work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  await work()
  await new Promise<void>((resolve) => setImmediate(resolve))
  process.off('warning', note)
  return warnings
}

/** Responds when all requests have arrived, and listens to their signals as transports do. */
function patientClient(): KubeClient {
  const waiting: (() => void)[] = []
  return new KubeClient({
    async request({ signal }) {
      const stop = () => undefined
      signal?.addEventListener('abort', stop)
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (waiting.length === MANY) for (const go of waiting) go()
      })
      signal?.removeEventListener('abort', stop)
      return answer(200)
    },
  })
}

const many = (work: (index: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: MANY }, (_, at) => work(at)))

test('KubeClient: many requests may share one signal without a warning', async () => {
  const { signal } = new AbortController()
  const client = patientClient()
  assert.deepEqual(await warningsOf(() => many(() => client.getJson('/', { signal }))), [])
})

test('Controller: many requests may share the signal of a reconcile', async (t) => {
  const { things, start, seen } = startTestController(t, {
    async reconcile(_, { signal }) {
      for (let at = 0; at < MANY; at++) signal.addEventListener('abort', () => undefined)
    },
  })
  const work = async () => {
    await start()
    things.write({ metadata: { namespace: 'a', name: 'x' } })
    await turns()
  }
  assert.deepEqual(await warningsOf(work), [])
  assert.deepEqual(seen, ['a/x'])
})

test('Informers: many waits may share one signal', async (t) => {
  const informers = new Informers(new KubeClient({ request: () => new Promise(() => undefined) }))
  t.after(() => void informers.close())
  for (let at = 0; at < MANY; at++) informers.of(Thing, { namespace: `n${at}` })
  const stop = new AbortController()
  const waiting = informers.whenSynced(stop.signal)
  const stopped = assert.rejects(waiting, { name: 'AbortError' })
  assert.deepEqual(await warningsOf(async () => undefined), [])
  stop.abort()
  await stopped
})

test('connect: many requests may wait for one client', async () => {
  const transport = retrying({ request: async () => answer(429, { 'retry-after': '60' }) })
  const work = async () => {
    const all = many(() => transport.request({ method: 'GET', path: '/' }))
    await new Promise<void>((resolve) => setImmediate(resolve))
    transport.close?.()
    await all
  }
  assert.deepEqual(await warningsOf(work), [])
})

test('unlessAborted: rejects with the reason of the signal, and leaves no listener behind', async () => {
  const reason = new Error('stopped')
  const never = new Promise<number>(() => undefined)
  await assert.rejects(unlessAborted(never, AbortSignal.abort(reason)), reason)
  const stop = new AbortController()
  const waiting = unlessAborted(never, stop.signal)
  assert.equal(await unlessAborted(Promise.resolve(1), stop.signal), 1)
  assert.equal(getEventListeners(stop.signal, 'abort').length, 1)
  stop.abort(reason)
  await assert.rejects(waiting, reason)
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
  assert.equal(await unlessAborted(Promise.resolve(2), undefined), 2)
})

test('withTimeLimit: aborts in time although garbage is collected, and with the other signal', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const aborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  const running = new AbortController()
  const waiting = withTimeLimit(50, running.signal, aborted)
  await new Promise((resolve) => setImmediate(resolve))
  collectGarbage()
  await assert.rejects(waiting, { name: 'TimeoutError', message: 'timed out after 0.05 s' })
  const stopped = withTimeLimit(60_000, running.signal, aborted)
  running.abort(new Error('stopped'))
  await assert.rejects(stopped, { message: 'stopped' })
  assert.equal(await withTimeLimit(60_000, undefined, async ({ aborted }) => aborted), false)
})
