import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memo } from './memo.js'
import { fitting, joinedFailures, someOf } from './message.js'

test('a message is cut where it is too long, never within a character', () => {
  assert.equal(fitting('abc', 3), 'abc')
  assert.equal(fitting('abcd', 3), 'ab…')
  assert.equal(fitting('a😀bc', 3), 'a…')
})

test('failures are joined as Go does it', () => {
  assert.equal(joinedFailures(['a']), 'a')
  assert.equal(joinedFailures(['a', 'b', 'a']), '[a, b]')
})

test('a few are named, the rest is counted', () => {
  assert.equal(someOf(['a', 'b', 'c', 'd', 'e']), 'a; b; c; d; e')
  assert.equal(someOf(['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'a; b; c; d; e; and 2 more')
})

test('what was made from a text is made once, until there are too many', () => {
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
