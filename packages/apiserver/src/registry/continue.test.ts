import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import fc from 'fast-check'
import { decodeContinue, encodeContinue } from './continue.js'

test('encodeContinue, decodeContinue: restore the token', () => {
  const name = fc.stringMatching(/^[a-z0-9.-]{0,20}$/)
  fc.assert(
    fc.property(fc.integer({ min: 1 }), name, name, (revision, namespace, object) => {
      const token = { revision, after: { namespace, name: object } }
      assert.deepEqual(decodeContinue(encodeContinue(token)), token)
    }),
  )
})

test('decodeContinue: returns a 400 for an invalid token', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const bad = [
    'x',
    '',
    encode(null),
    encode({ v: 'v9' }),
    encode({ v: 'meta.k8s.io/v1', rv: 0, start: 'a/b' }),
    encode({ v: 'meta.k8s.io/v1', rv: 1.5, start: 'a/b' }),
    encode({ v: 'meta.k8s.io/v1', rv: 5 }),
    encode({ v: 'meta.k8s.io/v1', rv: 5, start: 'nothing' }),
  ]
  for (const token of bad) {
    assert.throws(
      () => decodeContinue(token),
      (error) => error instanceof StatusError && error.code === 400,
      token,
    )
  }
})
