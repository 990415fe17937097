import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CodecError } from './codec-error.js'
import { compareSequence, SequenceGenerator } from './sequence.js'

test('SequenceGenerator: generates the IDs of the Go client', () => {
  assert.equal(new SequenceGenerator(() => 1_794_816_316_524).next(), '2122239566118129664')
})

test('SequenceGenerator: generates increasing IDs, also in one millisecond and when the clock is set back', () => {
  let now = 1_794_816_316_524
  const generator = new SequenceGenerator(() => now)
  let last = generator.next()
  const expectNewer = (count: number) => {
    for (let i = 0; i < count; i++) {
      const next = generator.next()
      assert.equal(compareSequence(last, next), -1)
      last = next
    }
  }
  expectNewer(10_000)
  now -= 3_600_000
  expectNewer(10_000)
  now += 7_200_000
  expectNewer(10)
})

test('SequenceGenerator: continues after an earlier ID', () => {
  const later = new SequenceGenerator(() => 1_794_816_316_524 + 60_000).next()
  const generator = new SequenceGenerator(() => 1_794_816_316_524)
  generator.next()
  generator.continueAfter(later)
  assert.equal(compareSequence(generator.next(), later), 1)
  generator.continueAfter('4096')
  assert.equal(compareSequence(generator.next(), later), 1)
})

test('compareSequence: orders by time, then by step', () => {
  assert.equal(compareSequence('2122239566118129664', '2122239566118129664'), 0)
  assert.equal(compareSequence('2122239566118129665', '2122239566118129664'), 1)
})

test('compareSequence: rejects IDs of different nodes and texts that are no IDs', () => {
  assert.throws(
    () => compareSequence('4096', '8192'),
    new CodecError('sequence IDs (4096,8192) are not from the same node'),
  )
  for (const id of ['', 'x', '-1', '1e3', '9223372036854775808', '9'.repeat(1_000_000)]) {
    assert.throws(() => compareSequence('4096', id), CodecError)
  }
})
