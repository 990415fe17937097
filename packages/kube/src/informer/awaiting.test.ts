import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { Namespace } from '@orrery/kinds'
import { KubeClient } from '../client/client.js'
import { awaiting } from './awaiting.js'

test('awaiting: writes nothing to the terminal while the API server is unreachable', async (t) => {
  const written = t.mock.method(process.stderr, 'write', () => true)
  const stop = new AbortController()
  let failures = 0
  const request = () => {
    failures++
    setImmediate(() => stop.abort(new Error('stopped')))
    return Promise.reject(new Error('connection refused'))
  }
  const waiting = awaiting(
    new KubeClient({ request }),
    (informers) => {
      informers.of(Namespace)
      return () => undefined
    },
    stop.signal,
  )
  await assert.rejects(waiting, /stopped/)
  assert.equal(failures, 1)
  assert.equal(written.mock.callCount(), 0)
})

test('awaiting: leaves no listeners on a long-lived signal', async () => {
  const { signal } = new AbortController()
  const client = new KubeClient({ request: () => Promise.reject(new Error('not called')) })
  assert.equal(await awaiting(client, () => () => 'found', signal), 'found')
  assert.deepEqual(getEventListeners(signal, 'abort'), [])
})
