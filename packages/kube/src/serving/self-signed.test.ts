import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import test from 'node:test'
import { parseCertificatePem } from '../pki/index.js'
import { nextRenewal, renewed, type SelfSigned, selfSigned } from './self-signed.js'

const DAY = 86_400_000
const NAMES = ['hub.example.com', '10.0.0.7'] as const
const start = new Date('2026-01-01T00:00:00Z')
const made = selfSigned('example', [...NAMES], start)

function after(days: number): Date {
  return new Date(start.getTime() + days * DAY)
}

test('selfSigned: issues a certificate for the names, by an authority that signs it', () => {
  const certificate = parseCertificatePem(made.cert)
  assert.deepEqual(certificate.altNames.dns, ['hub.example.com'])
  assert.deepEqual(certificate.altNames.ips, ['10.0.0.7'])
  assert.ok(certificate.notBefore < start)
  assert.equal(parseCertificatePem(made.ca).isCa, true)
})

test('renewed: keeps a good certificate', () => {
  assert.equal(renewed(made, 'example', [...NAMES], after(1)), undefined)
  assert.equal(renewed(made, 'example', ['hub.example.com'], after(1)), undefined)
  assert.ok(nextRenewal(made) > after(200) && nextRenewal(made) < after(300))
})

test('renewed: issues a certificate by the same authority when a third of the lifetime is left', () => {
  const next = renewed(made, 'example', [...NAMES], nextRenewal(made))
  assert.notEqual(next?.cert, made.cert)
  assert.equal(next?.ca, made.ca)
})

test('renewed: renews the authority with the same key, so that both trust the same certificates', () => {
  const next = renewed(made, 'example', [...NAMES], after(3_000)) as SelfSigned
  assert.notEqual(next.ca, made.ca)
  assert.equal(next.caKey, made.caKey)
  for (const [leaf, authority] of [
    [made.cert, next.ca],
    [next.cert, made.ca],
  ] as const) {
    assert.ok(new X509Certificate(leaf).checkIssued(new X509Certificate(authority)))
    assert.ok(new X509Certificate(leaf).verify(new X509Certificate(authority).publicKey))
  }
})

test('renewed: replaces a certificate for another name, or one that is not valid', () => {
  const other = selfSigned('example', [...NAMES], start)
  const cases: [string, SelfSigned, readonly [string, ...string[]]][] = [
    ['another name', made, ['other.example.com']],
    ['the key of another', { ...made, key: other.key }, [...NAMES]],
    ['of another authority', { ...made, cert: other.cert, key: other.key }, [...NAMES]],
    ['no certificate', { ...made, cert: '' }, [...NAMES]],
  ]
  for (const [what, held, names] of cases) assert.equal(renewed(held, 'example', names, after(1))?.ca, made.ca, what)
  const anew = renewed({ cert: '', key: '', ca: '', caKey: 'x' }, 'example', [...NAMES], after(1))
  assert.notEqual(anew?.ca, made.ca)
})
