import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Secret } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import { generateSealingKeys, sealManifest } from '@orrery/kube/seal'
import { revealWith } from './reveal.js'

const ref = { namespace: 'agent', name: 'keys' }
const keys = generateSealingKeys()
const base64 = (text: string) => Buffer.from(text).toString('base64')
const plain = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'apps', name: 'db' },
  data: { password: base64('sesame') },
}
const sealed = sealManifest(plain, { cluster: 'c1', publicKey: keys.publicKey })

function revealing(data: Record<string, string> | undefined, synced = true, cluster = 'c1') {
  const secret = data && ({ data } as unknown as Secret)
  return revealWith({ secrets: { synced, get: () => secret } as unknown as Informer<Secret>, ref }, cluster)
}

const kept = { public: base64(keys.publicKey), private: base64(keys.privateKey) }

test('revealWith: reveals values sealed for the cluster with the keys in its Secret', () => {
  assert.deepEqual(revealing(kept)(sealed), plain)
})

test('revealWith: needs no keys for manifests that are not sealed', () => {
  assert.equal(revealing(undefined, false)(plain), plain)
})

test('revealWith: refuses values that cannot be revealed, and names them', () => {
  assert.throws(() => revealing(kept, true, 'c2')(sealed), /^Error: the value of "password": it was sealed for another/)
  assert.throws(
    () => revealing(undefined)(sealed),
    /^Error: the value of "password": it is sealed with a key that this/,
  )
  assert.throws(() => revealing({ public: kept.public })(sealed), /sealed with a key that this cluster does not have/)
})

test('revealWith: throws a retryable error until the Secret has been read', () => {
  assert.throws(
    () => revealing(undefined, false)(sealed),
    /^Error: the sealing keys of this cluster have not been read yet$/,
  )
})
