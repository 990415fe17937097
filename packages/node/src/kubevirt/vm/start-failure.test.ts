import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceOf, NOW, vmOf } from '../testing.fixture.js'
import { delaySeconds, startFailureOf } from './start-failure.js'

const never = () => 0
const failed = instanceOf('Failed')

test('delaySeconds: grows with the failures, with jitter, to five minutes', () => {
  assert.deepEqual(
    [1, 2, 3, 5, 6, 100].map((count) => delaySeconds(count, never)),
    [10, 40, 90, 250, 300, 300],
  )
  assert.equal(
    delaySeconds(1, () => 0.999),
    15,
  )
})

test('startFailureOf: counts each instance that ended before it was running once', () => {
  const first = startFailureOf(vmOf('Always'), failed, NOW, never)
  const retryAfterTimestamp = '2030-01-01T00:00:10Z'
  assert.deepEqual(first, { consecutiveFailCount: 1, lastFailedVMIUID: 'vmi-uid', retryAfterTimestamp })
  const known = vmOf('Always', first === undefined ? {} : { startFailure: first })
  assert.equal(startFailureOf(known, failed, NOW, never), known.status?.startFailure)
  assert.equal(startFailureOf(known, undefined, NOW, never), known.status?.startFailure)
  const next = startFailureOf(known, instanceOf('Failed', {}, { uid: 'second' }), NOW, never)
  assert.deepEqual([next?.consecutiveFailCount, next?.retryAfterTimestamp], [2, '2030-01-01T00:00:40Z'])
})

test('startFailureOf: is cleared by an instance that ran and by strategies that do not restart', () => {
  const startFailure = { consecutiveFailCount: 3, lastFailedVMIUID: 'before' }
  const ran = instanceOf('Failed', { phaseTransitionTimestamps: [{ phase: 'Running' }] })
  assert.equal(startFailureOf(vmOf('Always', { startFailure }), ran, NOW, never), undefined)
  assert.equal(startFailureOf(vmOf('Manual', { startFailure }), failed, NOW, never), undefined)
  assert.equal(startFailureOf(vmOf('Halted', { startFailure }), undefined, NOW, never), undefined)
})
