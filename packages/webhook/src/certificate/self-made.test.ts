import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test from 'node:test'
import { parseCertificatePem } from '@orrery/kube/pki'
import { makeCertificate, nextRenewal, renewCertificate, type SelfMade } from './self-made.js'

const DAY = 86_400_000
const NAMES = ['hub.example.com', '10.0.0.7'] as const
const start = new Date('2026-01-01T00:00:00Z')
const made = makeCertificate([...NAMES], start)

function after(days: number): Date {
  return new Date(start.getTime() + days * DAY)
}

test('a certificate is for its names, of an authority that signs it', () => {
  const certificate = parseCertificatePem(made.cert)
  assert.deepEqual(certificate.altNames.dns, ['hub.example.com'])
  assert.deepEqual(certificate.altNames.ips, ['10.0.0.7'])
  assert.ok(certificate.notBefore < start)
  assert.equal(parseCertificatePem(made.ca).isCa, true)
})

test('a good certificate stays', () => {
  assert.equal(renewCertificate(made, [...NAMES], after(1)), undefined)
  assert.equal(renewCertificate(made, ['hub.example.com'], after(1)), undefined)
  assert.ok(nextRenewal(made) > after(200) && nextRenewal(made) < after(300))
})

test('a certificate is renewed when a third of its time is left, by the same authority', () => {
  const renewed = renewCertificate(made, [...NAMES], nextRenewal(made))
  assert.notEqual(renewed?.cert, made.cert)
  assert.equal(renewed?.ca, made.ca)
})

test('an authority is renewed in time, and each trusts what the other makes', () => {
  const renewed = renewCertificate(made, [...NAMES], after(3_000)) as SelfMade
  assert.notEqual(renewed.ca, made.ca)
  assert.equal(renewed.caKey, made.caKey)
  for (const [leaf, authority] of [
    [made.cert, renewed.ca],
    [renewed.cert, made.ca],
  ] as const) {
    assert.ok(new X509Certificate(leaf).checkIssued(new X509Certificate(authority)))
    assert.ok(new X509Certificate(leaf).verify(new X509Certificate(authority).publicKey))
  }
})

test('another name, or a certificate that fits nothing, is a reason to make one', () => {
  const other = makeCertificate([...NAMES], start)
  const cases: [string, SelfMade, readonly [string, ...string[]]][] = [
    ['another name', made, ['other.example.com']],
    ['the key of another', { ...made, key: other.key }, [...NAMES]],
    ['of another authority', { ...made, cert: other.cert, key: other.key }, [...NAMES]],
    ['no certificate', { ...made, cert: '' }, [...NAMES]],
  ]
  for (const [what, held, names] of cases) assert.equal(renewCertificate(held, names, after(1))?.ca, made.ca, what)
  const anew = renewCertificate({ cert: '', key: '', ca: '', caKey: 'x' }, [...NAMES], after(1))
  assert.notEqual(anew?.ca, made.ca)
})
