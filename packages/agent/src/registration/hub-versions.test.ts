import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFromBefore } from './hub-versions.js'

const JUMP = 1_000_000_000
const judge = (made?: number, last?: number, now?: number) =>
  isFromBefore({ made: made?.toString(), last: last?.toString(), now: now?.toString() })

test('a hub whose versions went back behind the making of the cluster was restored', () => {
  assert.equal(judge(500, 900, 300), true)
  assert.equal(judge(500, undefined, 300), true)
  assert.equal(judge(500, 900, 600), false, 'the backup may know it')
  assert.equal(judge(500, 900, 901), false)
})

test('so was one whose versions would have, but for the jump of a restore', () => {
  assert.equal(judge(500, 900, JUMP + 300), true)
  assert.equal(judge(500, 900, JUMP + 600), false, 'the backup may know it')
  assert.equal(judge(500, undefined, JUMP + 300), false, 'it may have grown that far')
  assert.equal(judge(500, JUMP + 200, JUMP + 300), false, 'it has grown that far')
})

test('what is not known proves nothing', () => {
  assert.equal(judge(undefined, 900, 300), false)
  assert.equal(judge(500, 900, undefined), false)
  assert.equal(isFromBefore({ made: '500', last: '900', now: '0x1' }), false)
})
