import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject, ObjectMeta } from '@orrery/kinds'
import { strategyOf } from '../kinds-rules/index.js'
import { testServer } from '../testing/test-server.fixture.js'
import { markDeletion } from './deletion-mark.js'

const NOW = new Date('2026-01-01T00:00:00Z')
const LATER = '2026-01-01T00:00:30Z'

function mark(
  plural: string,
  object: { metadata?: ObjectMeta; [field: string]: unknown },
  options: Partial<Parameters<typeof markDeletion>[1]> = {},
  holds = false,
) {
  const whole: KubeObject = { apiVersion: 'v1', kind: 'X', ...object, metadata: { name: 'x', ...object.metadata } }
  const asked = { gracePeriodSeconds: undefined, propagationPolicy: undefined, ...options }
  return markDeletion(whole, asked, { traits: strategyOf('', plural), holdsDeletion: () => holds }, NOW)
}

test('markDeletion: does not mark an object that nothing keeps', () => {
  assert.deepEqual(mark('configmaps', {}), { metadata: undefined, isHeld: false })
})

test('markDeletion: marks an object with finalizers and increments its generation', () => {
  const { metadata, isHeld } = mark('configmaps', { metadata: { generation: 3, finalizers: ['a/b'] } })
  assert.equal(isHeld, true)
  assert.equal(metadata?.deletionTimestamp, '2026-01-01T00:00:00Z')
  assert.equal(metadata?.deletionGracePeriodSeconds, 0)
  assert.equal(metadata?.generation, 4)
})

test('markDeletion: adds a finalizer for the propagation policy', () => {
  const finalizersOf = (policy: 'Orphan' | 'Foreground' | 'Background', finalizers: string[] = []) =>
    mark('configmaps', { metadata: { finalizers } }, { propagationPolicy: policy }).metadata?.finalizers
  assert.deepEqual(finalizersOf('Orphan', ['a/b']), ['a/b', 'orphan'])
  assert.deepEqual(finalizersOf('Foreground', ['orphan']), ['foregroundDeletion'])
  assert.equal(finalizersOf('Background', ['orphan']), undefined)
  assert.deepEqual(mark('replicationcontrollers', {}).metadata?.finalizers, ['orphan'])
})

test('markDeletion: changes nothing on a second delete', () => {
  const metadata = {
    deletionTimestamp: '2026-01-01T00:00:00Z',
    deletionGracePeriodSeconds: 0,
    finalizers: ['foregroundDeletion', 'a/b'],
  }
  const again = mark('configmaps', { metadata }, { propagationPolicy: 'Foreground' })
  assert.deepEqual(again, { metadata: undefined, isHeld: true })
})

test('markDeletion: sets only the time for a kind that keeps its objects', () => {
  const { metadata, isHeld } = mark('namespaces', { metadata: { generation: 1 } }, {}, true)
  assert.equal(isHeld, true)
  assert.deepEqual(metadata, { name: 'x', generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' })
})

test('markDeletion: sets the grace period of a pod with a node', () => {
  const pod = { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } }
  const grace = (seconds?: number) => mark('pods', pod, { gracePeriodSeconds: seconds }).metadata
  assert.equal(grace()?.deletionGracePeriodSeconds, 30)
  assert.equal(grace()?.deletionTimestamp, LATER)
  assert.equal(grace(5)?.deletionGracePeriodSeconds, 5)
  assert.equal(grace(-5)?.deletionGracePeriodSeconds, 1)
  assert.equal(mark('pods', pod, { gracePeriodSeconds: 0 }).isHeld, false)
})

test('markDeletion: only shortens a running grace period', () => {
  const metadata = { deletionTimestamp: LATER, deletionGracePeriodSeconds: 30 }
  const pod = { metadata, spec: { nodeName: 'n' }, status: { phase: 'Failed' } }
  assert.deepEqual(mark('pods', pod), { metadata: undefined, isHeld: true })
  assert.deepEqual(mark('pods', pod, { gracePeriodSeconds: 60 }), { metadata: undefined, isHeld: true })
  assert.deepEqual(mark('pods', pod, { propagationPolicy: 'Foreground' }), { metadata: undefined, isHeld: true })
  const shorter = mark('pods', pod, { gracePeriodSeconds: 10 })
  assert.equal(shorter.metadata?.deletionTimestamp, '2026-01-01T00:00:10Z')
  assert.equal(shorter.isHeld, true)
  assert.equal(mark('pods', pod, { gracePeriodSeconds: 0 }).isHeld, false)
})

test('markDeletion: marks a pod without a node before its removal', async (t) => {
  const { client } = await testServer(t)
  const pods = '/api/v1/namespaces/default/pods'
  const spec = { containers: [{ name: 'c', image: 'i' }] }
  const { metadata } = await client.create(pods, { metadata: { name: 'p' }, spec })
  const gone = await client.delete<KubeObject>(`${pods}/p`)
  assert.equal(gone.metadata.deletionGracePeriodSeconds, 0)
  const seen: [string, boolean][] = []
  for await (const { type, object } of client.watch(`${pods}?resourceVersion=${metadata.resourceVersion}`)) {
    seen.push([type, object.metadata.deletionTimestamp !== undefined])
    if (type === 'DELETED') break
  }
  assert.deepEqual(seen, [
    ['MODIFIED', true],
    ['DELETED', true],
  ])
})

test('markDeletion: limits the grace period to a valid time', () => {
  const longest = Number.MAX_SAFE_INTEGER
  const pod = { spec: { nodeName: 'n', terminationGracePeriodSeconds: longest } }
  for (const options of [{}, { gracePeriodSeconds: longest }]) {
    const { metadata, isHeld } = mark('pods', pod, options)
    assert.equal(isHeld, true)
    assert.equal(metadata?.deletionTimestamp, '2094-01-19T03:14:07Z')
    assert.equal(metadata?.deletionGracePeriodSeconds, 2 ** 31 - 1)
  }
})
