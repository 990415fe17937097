import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ValueCounter } from './value-counter.js'

const text = JSON.stringify({ a: [{}, {}, 1], 'b,{[': 'c,\\"{[\\', d: { e: [] } })

test('ValueCounter: counts objects, arrays and commas outside of strings', () => {
  assert.equal(new ValueCounter().add(Buffer.from(text)), 10)
})

test('ValueCounter: counts the same in any pieces', () => {
  const counter = new ValueCounter()
  let count = 0
  for (const byte of Buffer.from(text)) count = counter.add(Buffer.of(byte))
  assert.equal(count, 10)
})
