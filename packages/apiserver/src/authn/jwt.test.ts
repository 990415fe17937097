import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { generateKey } from '@orrery/kube/pki'
import { CredentialRefused } from './credentials.js'
import { peekClaims, TokenSigner, verificationKey, verifyToken } from './jwt.js'
import { openIdConfiguration, openIdKeys } from './openid.js'

const KEYS = {
  ES256: generateKey().privateKey,
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey,
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
}
const base64 = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

for (const [algorithm, key] of Object.entries(KEYS)) {
  test(`verifyToken: verifies ${algorithm} tokens only with their key`, () => {
    const token = new TokenSigner(key).sign({ sub: 'x' })
    assert.deepEqual(verifyToken(token, [verificationKey(key)]), { sub: 'x' })
    assert.equal(verificationKey(key).algorithm, algorithm)
    assert.throws(() => verifyToken(token, [verificationKey(generateKey().privateKey)]), /no keys found/)
  })
}

test('verifyToken: refuses a changed payload, header or signature', () => {
  const keys = [verificationKey(KEYS.ES256)]
  const [header, payload, signature] = new TokenSigner(KEYS.ES256).sign({ sub: 'bot' }).split('.') as [
    string,
    string,
    string,
  ]
  const refuse = (token: string) => assert.throws(() => verifyToken(token, keys), CredentialRefused, token)
  refuse(`${header}.${base64({ sub: 'admin' })}.${signature}`)
  refuse(`${header}.${payload}.${base64('x'.repeat(64))}`)
  refuse(`${header}.${payload}.`)
  refuse(`${header}.${payload}.${signature}=`)
  refuse(`${base64({ alg: 'none' })}.${payload}.`)
  refuse(`${base64({ alg: 'none' })}.${payload}.${signature}`)
  refuse(`${base64({ alg: 'RS256', kid: keys[0]!.id })}.${payload}.${signature}`)
  refuse(`${base64({ alg: 'ES256', crit: ['b64'] })}.${payload}.${signature}`)
  refuse(`${base64('[]')}.${base64('[]')}.${signature}`)
  refuse('..')
  refuse('a.b.c')
})

test('verifyToken: does not accept a public key as a shared secret', () => {
  const { id, key } = verificationKey(KEYS.RS256)
  const signed = `${base64({ alg: 'HS256', kid: id })}.${base64({ sub: 'admin' })}`
  const secret = key.export({ type: 'spki', format: 'pem' })
  const forged = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  assert.throws(() => verifyToken(forged, [verificationKey(KEYS.RS256)]), CredentialRefused)
})

test('peekClaims: reads claims only from well-formed tokens', () => {
  assert.equal(peekClaims('abcdef.0123456789abcdef'), undefined)
  assert.equal(peekClaims(`a.${base64('nonsense')}.b`), undefined)
  assert.equal(peekClaims(`a.${base64({ x: 'y'.repeat(20_000) })}.b`), undefined)
  assert.deepEqual(peekClaims(`a.${base64({ iss: 'me' })}.b`), { iss: 'me' })
})

test('openIdConfiguration: describes how to verify tokens', () => {
  const keys = [verificationKey(KEYS.ES256), verificationKey(KEYS.RS256)]
  assert.deepEqual(JSON.parse(openIdConfiguration('https://issuer', 'https://10.0.0.1:6443', keys)), {
    issuer: 'https://issuer',
    jwks_uri: 'https://10.0.0.1:6443/openid/v1/jwks',
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256', 'RS256'],
  })
  const document = JSON.parse(openIdKeys(keys)) as { keys: Record<string, string>[] }
  assert.deepEqual(Object.keys(document.keys[0]!).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  assert.deepEqual(Object.keys(document.keys[1]!).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
})
