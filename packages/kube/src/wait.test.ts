import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaseExpiry } from './lease/expiry.js'
import { FakeClock } from './testing/fake-clock.js'
import { jittered, within } from './wait.js'

const never = () => new AbortController().signal

test('within: rejects after the limit, whether the work listens or not', async () => {
  const clock = new FakeClock()
  let told: AbortSignal | undefined
  const deaf = within(clock, 100, never(), (signal) => {
    told = signal
    return new Promise(() => undefined)
  })
  clock.advance(100)
  await assert.rejects(deaf, /no response within 100 ms/)
  assert.ok(told?.aborted)
  const stop = new AbortController()
  const stopped = within(clock, 100, stop.signal, () => new Promise(() => undefined))
  stop.abort(new Error('enough'))
  await assert.rejects(stopped, /enough/)
  await assert.rejects(
    within(clock, 100, stop.signal, () => Promise.resolve(1)),
    /enough/,
  )
  assert.equal(await within(clock, 100, never(), () => Promise.resolve(1)), 1)
  assert.equal(clock.waiting, 0)
})

test('jittered: only adds', () => {
  assert.equal(
    jittered(100, 0.25, () => 0),
    100,
  )
  assert.equal(
    jittered(100, 0.25, () => 1),
    125,
  )
})

test('leaseExpiry: is the duration after the last renewal', () => {
  const lease = (spec: object) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
  const metadata = { namespace: 'n', name: 'l', uid: 'u', resourceVersion: '1', creationTimestamp: '' }
  const renewTime = '2030-01-01T00:00:00.250000Z'
  assert.deepEqual(leaseExpiry(lease({ renewTime, leaseDurationSeconds: 15 })), new Date('2030-01-01T00:00:15.250Z'))
  assert.deepEqual(leaseExpiry(lease({ renewTime }), 300), new Date('2030-01-01T00:05:00.250Z'))
  assert.equal(leaseExpiry(lease({ renewTime })), undefined)
  assert.equal(leaseExpiry(lease({ leaseDurationSeconds: 15 })), undefined)
})
