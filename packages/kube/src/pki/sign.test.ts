import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, hoursFrom, NOW, testAuthority } from '../testing/certificates.js'
import { generateKey } from './authority.js'
import { parseCertificatePem } from './certificate.js'
import { createCsr, parseCsr } from './csr.js'
import { DistinguishedName } from './distinguished-name.js'
import { signRequest } from './sign.js'
import { OID_CLIENT_AUTH } from './usages.js'

const authority = testAuthority()
const csr = parseCsr(createCsr({ subject: DistinguishedName.of('alice', ['dev', 'ops']), ...generateKey() }))
const order = { csr, usages: ['digital signature', 'client auth'], expirationSeconds: undefined, authority, now: NOW }

test('signRequest: the certificate has the requested names and the issuer', () => {
  const certificate = parseCertificatePem(signRequest(order))
  assert.equal(certificate.subject.commonName, 'alice')
  assert.deepEqual(certificate.subject.organizations, ['dev', 'ops'])
  assert.deepEqual(certificate.keyUsage, new Set([0]))
  assert.deepEqual(certificate.extendedUsages, new Set([OID_CLIENT_AUTH]))
  assert.equal(certificate.isCa, false)
  assert.ok(certificate.publicKeyDer.equals(csr.publicKeyDer))
  assert.ok(certificate.isSignedBy(authority.key))
  assert.throws(() => signRequest({ ...order, usages: ['spying'] }), /unrecognized usage values: \["spying"\]/)
})

test('signRequest: the certificate has the requested lifetime, within limits', () => {
  const minutes = (expirationSeconds: number | undefined, maxDuration = 30 * 24 * HOUR) => {
    const { notBefore, notAfter } = parseCertificatePem(signRequest({ ...order, expirationSeconds, maxDuration }))
    return [NOW.getTime() - notBefore.getTime(), notAfter.getTime() - NOW.getTime()].map((time) => time / 60_000)
  }
  assert.deepEqual(minutes(3_600), [5, 60])
  assert.deepEqual(minutes(60), [5, 10])
  assert.deepEqual(minutes(24 * 3_600), [5, 24 * 60 - 5])
  assert.deepEqual(minutes(365 * 24 * 3_600), [5, 30 * 24 * 60 - 5])
  assert.deepEqual(minutes(undefined, 2 * HOUR), [5, 120])
})

test('signRequest: a certificate never outlives its authority, and an expired authority signs nothing', () => {
  const nearEnd = hoursFrom(authority.certificate.notAfter, -1)
  const { notAfter } = parseCertificatePem(signRequest({ ...order, now: nearEnd }))
  assert.deepEqual(notAfter, authority.certificate.notAfter)
  assert.throws(() => signRequest({ ...order, now: hoursFrom(nearEnd, 1) }), /refusing to sign/)
  assert.throws(() => signRequest({ ...order, now: hoursFrom(nearEnd, 2) }), /the signer has expired/)
})

test('signRequest: a request with two names gets a certificate for the one that was checked', () => {
  const names = new Map([['2.5.4.3', ['zz-victim', 'aa-mine']]])
  const twofold = parseCsr(createCsr({ subject: new DistinguishedName(names), ...generateKey() }))
  const certificate = parseCertificatePem(signRequest({ ...order, csr: twofold }))
  assert.equal(certificate.subject.commonName, twofold.subject.commonName)
  assert.equal(certificate.subject.attributes.get('2.5.4.3')?.length, 1)
})
