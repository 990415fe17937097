import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFromBefore } from './hub-versions.js'

const JUMP = 1_000_000_000
const judge = (made?: number, last?: number, now?: number) =>
  isFromBefore({ made: made?.toString(), last: last?.toString(), now: now?.toString() })

test('isFromBefore: detects a hub whose versions are older than the ManagedCluster', () => {
  assert.equal(judge(500, 900, 300), true)
  assert.equal(judge(500, undefined, 300), true)
  assert.equal(judge(500, 900, 600), false, 'the backup may contain the cluster')
  assert.equal(judge(500, 900, 901), false)
})

test('isFromBefore: detects a restored hub whose versions were bumped', () => {
  assert.equal(judge(500, 900, JUMP + 300), true)
  assert.equal(judge(500, 900, JUMP + 600), false, 'the backup may contain the cluster')
  assert.equal(judge(500, undefined, JUMP + 300), false, 'the versions may have grown that far')
  assert.equal(judge(500, JUMP + 200, JUMP + 300), false, 'the versions have grown that far')
})

test('isFromBefore: is false if a version is unknown', () => {
  assert.equal(judge(undefined, 900, 300), false)
  assert.equal(judge(500, 900, undefined), false)
  assert.equal(isFromBefore({ made: '500', last: '900', now: '0x1' }), false)
})
