import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import { CodecError } from './codec-error.js'
import { readSpecResync, readStatusResync, specResyncRequest, statusResyncRequest } from './resync-events.js'

test('readSpecResync: reads what specResyncRequest writes', () => {
  const versions = new Map([
    ['a', 1],
    ['b', 0],
  ])
  const event = specResyncRequest({ agentId: 'c1-work-agent', clusterName: 'c1', originalSource: '', versions })
  assert.equal(event.type, 'io.open-cluster-management.works.v1alpha1.manifestbundles.spec.resync_request')
  assert.deepEqual(event.extensions, { clustername: 'c1', originalsource: '' })
  assert.deepEqual(readSpecResync(event), versions)
})

test('readStatusResync: reads what statusResyncRequest writes', () => {
  const hashes = new Map([['a', 'hash']])
  const event = statusResyncRequest({ source: 'mw', clusterName: '', hashes })
  assert.equal(event.type, 'io.open-cluster-management.works.v1alpha1.manifestbundles.status.resync_request')
  assert.deepEqual(readStatusResync(event), hashes)
})

for (const data of [
  '',
  '[]',
  '{"statusHashes":{}}',
  '{"statusHashes":[null]}',
  '{"statusHashes":[{"resourceID":"a"}]}',
]) {
  test(`readStatusResync: rejects the data ${JSON.stringify(data)}`, () => {
    const event = {
      ...statusResyncRequest({ source: 'mw', clusterName: '', hashes: new Map() }),
      data: Buffer.from(data),
    }
    assert.throws(() => readStatusResync(event), CodecError)
  })
}

test('readStatusResync: a list that Go writes as null has no hashes', () => {
  const event = statusResyncRequest({ source: 'mw', clusterName: '', hashes: new Map() })
  assert.equal(readStatusResync({ ...event, data: Buffer.from('{"statusHashes":null}') }).size, 0)
})
