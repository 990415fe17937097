import assert from 'node:assert/strict'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { generateKey, privateKeyPem } from './authority.js'

test('privateKeyPem: writes an EC key in SEC 1 form and other keys in PKCS #8', () => {
  const ec = generateKey().privateKey
  assert.match(privateKeyPem(ec), /^-----BEGIN EC PRIVATE KEY-----\n/)
  assert.ok(createPrivateKey(privateKeyPem(ec)).equals(ec))
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  assert.match(privateKeyPem(rsa), /^-----BEGIN PRIVATE KEY-----\n/)
})
