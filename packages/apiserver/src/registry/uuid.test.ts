import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from './uuid.js'

test('newUuid: returns a new UUID of version 4', () => {
  const seen = new Set<string>()
  for (let count = 0; count < 2000; count++) {
    const uuid = newUuid()
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    seen.add(uuid)
  }
  assert.equal(seen.size, 2000)
})

test('newUuid: uses all values of every variable digit', () => {
  const values = Array.from({ length: 36 }, () => new Set<string>())
  for (let count = 0; count < 2000; count++) for (const [at, digit] of [...newUuid()].entries()) values[at]?.add(digit)
  const expected = (at: number) => ([8, 13, 14, 18, 23].includes(at) ? 1 : at === 19 ? 4 : 16)
  assert.deepEqual(
    values.map((digits) => digits.size),
    values.map((_, at) => expected(at)),
  )
})
