import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MANIFEST_COUNT_LIMIT, MANIFEST_LIMIT } from '@orrery/api'
import { maxMessageLength } from './limits.js'
import { objectOf, type Part, reported, workOf } from './testing.fixture.js'

/** etcd's default limit of a request. */
const ETCD_LIMIT = 1.5 * 1024 * 1024

const long = 'Failed to apply manifest: '.padEnd(40_000, 'x')

function bytesOf(part: (name: string) => Part): number {
  const name = (at: number) => `a-deployment-with-a-rather-long-name-${at}`
  const parts = Array.from({ length: MANIFEST_COUNT_LIMIT }, (_, at) => part(name(at)))
  return Buffer.byteLength(JSON.stringify(reported(workOf(parts), parts).status))
}

test('maxMessageLength: the status of a work with the most manifests fits, whatever their outcome', () => {
  const deployment = (name: string) => objectOf('apps/v1', 'Deployment', { metadata: { name, namespace: 'shop' } })
  const well = bytesOf((name) => ({ object: deployment(name) }))
  const refused = bytesOf((name) => ({
    object: deployment(name),
    applied: { status: 'False', reason: 'AppliedManifestFailed', message: long },
    observation: { state: 'absent' },
  }))
  assert.ok(well < refused)
  assert.ok(refused + MANIFEST_LIMIT < ETCD_LIMIT, `${refused} bytes`)
})

test('maxMessageLength: grows as the number of manifests shrinks', () => {
  assert.equal(maxMessageLength(0), 32_768)
  assert.equal(maxMessageLength(1), 32_768)
  assert.equal(maxMessageLength(10), 5_242)
  assert.equal(maxMessageLength(10_000), 512)
})
