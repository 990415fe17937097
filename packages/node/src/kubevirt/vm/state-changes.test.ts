import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instanceOf } from '../testing.fixture.js'
import { pendingRequests } from './state-changes.js'

const start = { action: 'Start' }
const stop = { action: 'Stop', uid: 'vmi-uid' }

test('pendingRequests: removes the first request when it is done', () => {
  const deleted = instanceOf('Running', {}, { deletionTimestamp: '2030-01-01T00:00:00Z' })
  assert.deepEqual(pendingRequests([stop, start], instanceOf('Running')), [stop, start])
  assert.deepEqual(pendingRequests([stop, start], undefined), [start])
  assert.deepEqual(pendingRequests([stop], instanceOf('Running', {}, { uid: 'another' })), undefined)
  assert.deepEqual(pendingRequests([{ action: 'Stop' }], instanceOf('Running')), undefined)
  assert.deepEqual(pendingRequests([start], undefined), [start])
  assert.deepEqual(pendingRequests([start], instanceOf('Pending')), undefined)
  assert.deepEqual(pendingRequests([start], instanceOf('Failed')), [start])
  assert.deepEqual(pendingRequests([start], deleted), [start])
  assert.deepEqual(pendingRequests(undefined, undefined), undefined)
})
