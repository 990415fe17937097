import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DynamicObject } from '@orrery/kube/discovery'
import { FakeClock } from '@orrery/kube/testing'
import { ResourceCache } from './resource-cache.js'

const MINUTE = 60_000

function version(resourceVersion: string, data: object, status?: object): DynamicObject {
  return {
    apiVersion: 'v1',
    kind: 'X',
    metadata: { name: 'x', resourceVersion },
    data,
    status,
  } as unknown as DynamicObject
}

test('ResourceCache: treats an object as unchanged while only its status changes', () => {
  const resourceCache = new ResourceCache(new FakeClock(), MINUTE)
  resourceCache.applied('w', 'o', 'g1', version('1', { a: 1 }), undefined)
  assert.equal(resourceCache.isUnchanged('w', 'o', 'g1', version('1', { a: 1 })), true)
  assert.equal(resourceCache.isUnchanged('w', 'o', 'g1', version('2', { a: 1 }, { ready: true })), true)
  assert.equal(resourceCache.isUnchanged('w', 'o', 'g1', version('3', { a: 2 })), false)
  assert.equal(resourceCache.isUnchanged('w', 'o', 'g2', version('1', { a: 1 })), false)
  assert.equal(resourceCache.isUnchanged('other', 'o', 'g1', version('1', { a: 1 })), false)
})

test('ResourceCache: compares an object again after keepOnly dropped it', () => {
  const resourceCache = new ResourceCache(new FakeClock(), MINUTE)
  resourceCache.applied('w', 'o', 'g', version('1', {}), undefined)
  resourceCache.keepOnly('w', new Set(['other']))
  assert.equal(resourceCache.isUnchanged('w', 'o', 'g', version('1', {})), false)
})

test('ResourceCache: corrects less and less often when others undo the change each time', () => {
  const clock = new FakeClock()
  const resourceCache = new ResourceCache(clock, 4 * MINUTE)
  let resourceVersion = 1
  const correct = () => {
    const undone = version(String(++resourceVersion), { a: 'theirs' })
    resourceCache.applied('w', 'o', 'g', version(String(++resourceVersion), { a: 'ours' }), undone)
    return resourceCache.pausedUntil('w', 'o', 'g') - clock.elapsed()
  }
  resourceCache.applied('w', 'o', 'g', version('1', { a: 'ours' }), undefined)
  assert.ok(correct() <= 0)
  assert.ok(correct() <= 0)
  const pauses = [correct(), correct(), correct(), correct()]
  assert.deepEqual(pauses, [1_000, 2_000, 4_000, 8_000])
  for (let more = 0; more < 10; more++) correct()
  assert.equal(correct(), 4 * MINUTE)
  clock.advance(11 * MINUTE)
  assert.ok(correct() <= 0)
})

test('ResourceCache: does not count a change without a write as a correction', () => {
  const resourceCache = new ResourceCache(new FakeClock(), MINUTE)
  for (let round = 1; round < 9; round++) {
    const seen = version(String(round), { a: 'ours', round })
    resourceCache.applied('w', 'o', 'g', seen, seen)
  }
  assert.equal(resourceCache.pausedUntil('w', 'o', 'g'), 0)
})
