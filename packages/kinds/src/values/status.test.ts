import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  alreadyExists,
  conflict,
  expired,
  failure,
  isAlreadyExists,
  isConflict,
  isGone,
  isInvalid,
  isNotFound,
  isServerTimeout,
  isServiceUnavailable,
  isTimeout,
  isTooManyRequests,
  notFound,
} from './status.js'

const pods = { group: '', resource: 'pods' }

test('isNotFound, isConflict: the reason takes precedence over the code', () => {
  assert(isAlreadyExists(alreadyExists(pods, 'p')))
  assert(!isConflict(alreadyExists(pods, 'p')))
  assert(isConflict(conflict(pods, 'p', 'changed')))
  assert(isServerTimeout(failure(500, 'ServerTimeout', 'try again')))
  assert(isTimeout(failure(504, 'Timeout', 'too slow')))
  assert(isGone(expired('too old')) && isGone(failure(410, 'Gone', 'gone')))
})

test('isNotFound, isConflict: the code decides without a specific reason', () => {
  assert(isNotFound(failure(404, '', 'x')))
  assert(isConflict(failure(409, '', 'x')) && !isAlreadyExists(failure(409, '', 'x')))
  assert(isTooManyRequests(failure(429, '', 'x')))
  assert(isServiceUnavailable(failure(503, '', 'x')))
  assert(isInvalid(failure(422, '', 'x')))
})

test('isNotFound, isConflict: recognize a wrapped error', () => {
  const wrapped = new Error('while looking', { cause: new Error('deeper', { cause: notFound(pods, 'p') }) })
  assert(isNotFound(wrapped))
  assert(!isConflict(wrapped))
})

test('isNotFound, isConflict: are false for other errors', () => {
  for (const other of [undefined, null, 'NotFound', new Error('NotFound'), { reason: 'NotFound' }]) {
    assert(!isNotFound(other))
  }
})
