import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KubeClient } from '../client/client.js'
import { FakeClock } from '../testing/fake-clock.js'
import { renewLease } from './renew.js'

test('renewLease: times out without a response, and cancels the request', async () => {
  const clock = new FakeClock()
  let given: AbortSignal | undefined
  const client = new KubeClient({
    request: ({ signal }) => {
      given = signal
      return new Promise(() => undefined)
    },
  })
  const ref = { namespace: 'edge', name: 'managed-cluster-lease' }
  const renewal = renewLease(client, ref, { clock, timeoutMilliseconds: 5_000 })
  clock.advance(5_000)
  await assert.rejects(renewal, /no response within 5000 ms/)
  assert.equal(given?.aborted, true)
})
