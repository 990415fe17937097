import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openssl } from '../testing/certificates.js'
import { hugeExponent } from '../testing/huge-exponent.js'
import { generateKey, privateKeyPem } from './authority.js'
import { createCsr, parseCsr, parseCsrDer } from './csr.js'
import { DistinguishedName } from './distinguished-name.js'
import { decodePem, encodePem } from './pem.js'

const subject = DistinguishedName.of('system:open-cluster-management:c1:agent', [
  'system:open-cluster-management:c1',
  'system:open-cluster-management:managed-clusters',
])
const altNames = {
  dns: ['a.example', 'b.example'],
  ips: ['10.0.0.1', 'fe80::1'],
  emails: ['a@b.c'],
  uris: ['spiffe://x/y'],
}

const KEYS: Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  'P-256': generateKey,
  'P-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'RSA 2048': () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  Ed25519: () => generateKeyPairSync('ed25519'),
}

for (const [name, generate] of Object.entries(KEYS)) {
  test(`parseCsr: a ${name} request keeps its subject, names and key`, () => {
    const { privateKey, publicKey } = generate()
    const csr = parseCsr(createCsr({ subject, altNames, privateKey, publicKey }))
    assert.equal(csr.subject.commonName, subject.commonName)
    assert.deepEqual([...csr.subject.organizations].sort(), [...subject.organizations].sort())
    assert.deepEqual(csr.altNames, altNames)
    assert.ok(csr.publicKey.equals(publicKey))
  })

  test(`parseCsr: reads a ${name} request of openssl, and openssl accepts ours`, (t) => {
    const { privateKey, publicKey } = generate()
    const directory = mkdtempSync(join(tmpdir(), 'csr-'))
    t.after(() => rmSync(directory, { recursive: true }))
    const keyFile = join(directory, 'key.pem')
    writeFileSync(keyFile, privateKeyPem(privateKey))
    const names = 'subjectAltName=DNS:a.example,IP:10.0.0.1,IP:fe80::1,URI:spiffe://x/y,email:a@b.c'
    const made = openssl(['req', '-new', '-key', keyFile, '-subj', '/O=g1/O=g2/CN=me', '-addext', names])
    if (made === undefined) return t.skip('openssl is not installed')
    const csr = parseCsr(made)
    assert.deepEqual([csr.subject.commonName, csr.subject.organizations], ['me', ['g1', 'g2']])
    assert.deepEqual(csr.altNames, { ...altNames, dns: ['a.example'] })
    const ours = openssl(['req', '-verify', '-noout', '-text'], createCsr({ subject, altNames, privateKey, publicKey }))
    assert.match(ours ?? '', /system:open-cluster-management:managed-clusters/)
  })
}

test('parseCsr: a request without attributes has no names', () => {
  const csr = parseCsr(createCsr({ subject, ...generateKey() }))
  assert.deepEqual(csr.altNames, { dns: [], ips: [], emails: [], uris: [] })
})

test('parseCsr: rejects a modified request', () => {
  const [block] = decodePem(createCsr({ subject: DistinguishedName.of('alice'), ...generateKey() }))
  const bytes = Buffer.from(block!.bytes)
  bytes.write('mallo', bytes.indexOf('alice'))
  assert.throws(() => parseCsrDer(bytes), /signature of the certificate request cannot be verified/)
})

test('parseCsr: rejects a request signed with another key', () => {
  const { publicKey } = generateKey()
  const pem = createCsr({ subject, publicKey, privateKey: generateKey().privateKey })
  assert.throws(() => parseCsr(pem), /cannot be verified/)
})

test('parseCsr: rejects weak and unsupported keys', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 512 })
  assert.throws(() => parseCsr(createCsr({ subject, ...small })), /512-bit RSA key is not accepted/)
  const odd = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
  assert.throws(() => createCsr({ subject, ...odd }))
})

test('parseCsr: rejects an RSA key with a huge exponent, whose verification is as expensive as signing', () => {
  assert.throws(
    () => parseCsr(createCsr({ subject, ...hugeExponent(2048) })),
    /exponent of the RSA key is not accepted/,
  )
})

test('parseCsr: rejects every truncation and every flipped byte', () => {
  const [block] = decodePem(createCsr({ subject, altNames, ...generateKey() }))
  const { bytes } = block!
  for (let end = 0; end < bytes.length; end += 7) assert.throws(() => parseCsrDer(bytes.subarray(0, end)))
  for (let at = 0; at < bytes.length; at += 3) {
    const broken = Buffer.from(bytes)
    broken[at]! ^= 0x21
    assert.throws(() => parseCsrDer(broken), `byte ${at}`)
  }
})

test('parseCsr: rejects other PEM blocks with the expected type', () => {
  for (const text of [
    '',
    'hello',
    encodePem('CERTIFICATE', Buffer.alloc(3)),
    '-----BEGIN CERTIFICATE REQUEST-----\n!!\n',
  ]) {
    assert.throws(() => parseCsr(text), /PEM block type must be CERTIFICATE REQUEST/)
  }
})

test('parseCsr: rejects a name with a NUL', () => {
  const name = `admin${String.fromCharCode(0)}.evil`
  assert.throws(() => parseCsr(createCsr({ subject: DistinguishedName.of(name), ...generateKey() })), /NUL/)
})
