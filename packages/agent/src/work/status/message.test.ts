import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memo } from './memo.js'
import { fitting, joinedFailures, someOf } from './message.js'

test('fitting: shortens a long message before its end, and never splits a character', () => {
  assert.equal(fitting('abc', 3), 'abc')
  assert.equal(fitting('abcd', 3), 'ab…')
  assert.equal(fitting('a😀bc', 3), 'a…')
  assert.equal(fitting('why it is so. Do this', 12), 'why it i…his')
  assert.equal(fitting('abcdefgh😀x', 8), 'abcde…x')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (message, longest) => {
      const cut = fitting(message, longest + 1)
      assert.ok(cut.length <= longest + 1)
      assert.equal(Buffer.from(cut).toString(), cut)
    }),
  )
})

test('joinedFailures: joins errors as Go does', () => {
  assert.equal(joinedFailures(['a']), 'a')
  assert.equal(joinedFailures(['a', 'b', 'a']), '[a, b]')
})

test('someOf: names the first and counts the rest', () => {
  assert.equal(someOf(['a', 'b', 'c', 'd', 'e']), 'a; b; c; d; e')
  assert.equal(someOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a; b; c; d; e; and 2 more')
})

test('memo: makes each value once, until there are too many', () => {
  let made = 0
  const lengths = memo(2, (text) => {
    made++
    return { length: text.length }
  })
  assert.equal(lengths('a'), lengths('a'))
  assert.equal(made, 1)
  lengths('b')
  lengths('c')
  assert.equal(lengths('a').length, 1)
  assert.equal(made, 4)
})
