import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf } from './token.js'

function jwt(payload: unknown): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `e30.${encoded}.c2ln`
}

test('claimsOf: renews a token when 20 % of its lifetime are left', () => {
  const claims = claimsOf(jwt({ iat: 1_000, exp: 2_000, 'kubernetes.io': { serviceaccount: { uid: 'u1' } } }))
  assert.deepEqual(claims, {
    notBefore: new Date(1_000_000),
    notAfter: new Date(2_000_000),
    renewAt: new Date(1_800_000),
    serviceAccountUid: 'u1',
  })
})

test('claimsOf: returns nothing for text that is not a token with a lifetime', () => {
  const notTokens = [
    '',
    'abc',
    'a.b',
    'a.b.c.d',
    'a.!!.c',
    jwt('text'),
    jwt(null),
    jwt({ exp: 5 }),
    jwt({ iat: 5, exp: 5 }),
  ]
  for (const text of notTokens) assert.equal(claimsOf(text), undefined, text)
})
