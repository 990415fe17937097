import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { generateSealingKeys } from './keys.js'
import { hasPlainValues, isSealed, revealManifest, sealManifest } from './manifest.js'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const keys = generateSealingKeys()
const sealing = { cluster: 'c1', publicKey: keys.publicKey }
const revealing = { cluster: 'c1', privateKeys: [keys.privateKey] }

const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'apps', name: 'db' },
  type: 'Opaque',
  data: { password: base64('open sesame'), empty: '' },
}

type Secret = typeof secret

suite('sealed Secrets', () => {
  test('sealManifest: accepts any number of line breaks in base64', () => {
    const { data } = sealManifest(secret, sealing)
    const broken = { ...secret, data: { ...data, password: `${data.password.replaceAll(/(.{60})/g, '$1\r\n')}\n` } }
    assert.deepEqual(revealManifest(broken, revealing), secret)
    const hostile = { ...secret, data: { password: `${data.password}${'\n'.repeat(200_000)}!` } }
    assert.throws(() => revealManifest(hostile, revealing), /"password": it is not base64/)
  })

  test('sealManifest: returns a valid Secret without the plain values', () => {
    const sealed = sealManifest(secret, sealing)
    assert.ok(isSealed(sealed))
    const { data, ...rest } = sealed
    const { data: _, ...plainRest } = secret
    assert.deepEqual(rest, plainRest)
    assert.deepEqual(Object.keys(data), ['password', 'empty'])
    for (const value of Object.values(data)) {
      assert.equal(Buffer.from(value, 'base64').toString('base64'), value)
      assert.ok(!Buffer.from(value, 'base64').includes('sesame'))
    }
    assert.notDeepEqual(sealManifest(secret, sealing), sealed)
  })

  test('revealManifest: reveals with any key of the cluster', () => {
    assert.deepEqual(revealManifest(sealManifest(secret, sealing), revealing), secret)
    const { privateKey } = generateSealingKeys()
    const both = { cluster: 'c1', privateKeys: [privateKey, keys.privateKey] }
    assert.deepEqual(revealManifest(sealManifest(secret, sealing), both), secret)
  })

  test('sealManifest: moves stringData into data', () => {
    const written = { ...secret, stringData: { password: 'changed', more: 'text' } }
    const revealed = revealManifest(sealManifest(written, sealing), revealing)
    const { data, ...rest } = revealed as Omit<typeof written, 'stringData'>
    assert.deepEqual(data, { password: base64('changed'), empty: '', more: base64('text') })
    assert.ok(!('stringData' in rest))
  })

  test('sealManifest: seals only new values of a sealed Secret', () => {
    const sealed = sealManifest(secret, sealing)
    assert.equal(sealManifest(sealed, sealing), sealed)
    const more = sealManifest({ ...sealed, data: { ...sealed.data, token: base64('x') } }, sealing)
    assert.equal(more.data.password, sealed.data.password)
    assert.deepEqual(revealManifest(more, revealing).data, { ...secret.data, token: base64('x') })
  })
})

test('hasPlainValues: finds values that are not sealed in data and stringData', () => {
  const sealed = sealManifest(secret, sealing)
  assert.equal(hasPlainValues(secret), true)
  assert.equal(hasPlainValues(sealed), false)
  assert.equal(hasPlainValues({ ...sealed, stringData: { more: 'text' } }), true)
  assert.equal(hasPlainValues({ ...sealed, stringData: {} }), false)
  assert.equal(hasPlainValues({ ...sealed, data: { ...sealed.data, more: base64('text') } }), true)
  assert.equal(hasPlainValues({ ...secret, data: {} }), false)
  assert.equal(hasPlainValues({ ...secret, kind: 'ConfigMap' }), false)
})

suite('sealed values', () => {
  const sealed = sealManifest(secret, sealing)
  const refused = (manifest: Secret, message: RegExp, options = revealing) =>
    assert.throws(() => revealManifest(manifest, options), message)
  const elsewhere = /^Error: the value of "\w+": it was sealed for another cluster, object or key/

  test('revealManifest: rejects a value moved to another object, key or cluster', () => {
    refused({ ...sealed, metadata: { namespace: 'apps', name: 'other' } }, elsewhere)
    refused({ ...sealed, metadata: { namespace: 'other', name: 'db' } }, elsewhere)
    refused({ ...sealed, data: { password: sealed.data.empty, empty: sealed.data.password } }, elsewhere)
    refused(sealed, elsewhere, { ...revealing, cluster: 'c2' })
  })

  test('revealManifest: rejects a changed value', () => {
    const bytes = Buffer.from(sealed.data.password, 'base64')
    for (let at = 21 + 8; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      // X25519 ignores the highest bit of a public key, but the key derivation does not.
      refused({ ...sealed, data: { ...sealed.data, password: changed.toString('base64') } }, elsewhere)
    }
    const short = bytes.subarray(0, 60).toString('base64')
    refused({ ...sealed, data: { ...sealed.data, password: short } }, /it is truncated/)
    const weak = Buffer.from(bytes).fill(0, 29, 61)
    refused({ ...sealed, data: { ...sealed.data, password: weak.toString('base64') } }, elsewhere)
  })

  test('revealManifest: rejects another key', () => {
    const { privateKey } = generateSealingKeys()
    refused(sealed, /sealed with a key that this cluster does not have/, { cluster: 'c1', privateKeys: [privateKey] })
    refused(sealed, /sealed with a key that this cluster does not have/, { cluster: 'c1', privateKeys: [] })
  })
})

test('sealManifest, revealManifest: leave other manifests as they are', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } }
  assert.equal(sealManifest(configMap, sealing), configMap)
  assert.equal(revealManifest(configMap, revealing), configMap)
  assert.equal(revealManifest(secret, revealing), secret)
  const empty = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'e' } }
  assert.equal(sealManifest(empty, sealing), empty)
})

test('sealManifest, revealManifest: reject unreadable values without quoting them', () => {
  const hostile = (fields: object) => () => sealManifest({ ...secret, ...fields }, sealing)
  assert.throws(hostile({ data: { a: 'not base64!' } }), /^Error: the value of "a": it is not base64$/)
  assert.throws(hostile({ data: { a: 1 } }), /^Error: data must be a map of strings$/)
  assert.throws(hostile({ stringData: [] }), /^Error: stringData must be a map of strings$/)
  for (const publicKey of ['', 'x25519:', 'x25519:AAAA', keys.privateKey, `${keys.publicKey}=`]) {
    assert.throws(() => sealManifest(secret, { cluster: 'c1', publicKey }), /^Error: it is not a public key/)
  }
})

test('revealManifest: returns what was sealed, for any value', () => {
  const name = fc.string({ minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(
      fc.dictionary(name, fc.uint8Array({ maxLength: 64 })),
      fc.string({ maxLength: 300 }),
      fc.string({ maxLength: 300 }),
      (values, namespace, cluster) => {
        const data = Object.fromEntries(
          Object.entries(values).map(([key, bytes]) => [key, Buffer.from(bytes).toString('base64')]),
        )
        const manifest = { ...secret, metadata: { namespace, name: 'n' }, data }
        const sealed = sealManifest(manifest, { ...sealing, cluster })
        assert.deepEqual(revealManifest(sealed, { ...revealing, cluster }), manifest)
      },
    ),
    { numRuns: 50 },
  )
})
