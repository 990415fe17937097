import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAnswer, isTemporary } from './database-problems.js'

const answer = (code: string) => Object.assign(new Error('answer'), { code, severity: 'ERROR' })

for (const [error, is] of [
  [answer('57P01'), true],
  [answer('53300'), true],
  [answer('25006'), true],
  [answer('40P01'), true],
  [answer('22P02'), false],
  [answer('23505'), false],
  [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), true],
  [Object.assign(new Error('no route'), { code: 'EHOSTUNREACH' }), true],
  [Object.assign(new Error('no name'), { code: 'EAI_AGAIN' }), true],
  [new Error('timeout exceeded when trying to connect'), true],
  [new Error('Connection terminated unexpectedly'), true],
  [new Error('Query read timeout'), true],
  [Object.assign(new TypeError('a mistake'), { code: 'ERR_INVALID_ARG_TYPE' }), false],
  [new TypeError('a mistake'), false],
] as const) {
  test(`isTemporary: is ${is} for ${'code' in error ? error.code : error.message}`, () => {
    assert.equal(isTemporary(error), is)
  })
}

test('isAnswer: distinguishes the database from the way to it', () => {
  assert.ok(isAnswer(answer('23505')))
  assert.ok(!isAnswer(Object.assign(new Error('broken'), { code: 'EPIPE' })))
})
