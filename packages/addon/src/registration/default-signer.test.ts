import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { suite, test } from 'node:test'
import type { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { CertificateSigningRequest } from '@orrery/kinds'
import { createAuthority, createCsr, DistinguishedName, generateKey, parseCertificatePem } from '@orrery/kube/pki'
import { FakeClock } from '@orrery/kube/testing'
import { defaultSigner } from './default-signer.js'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const clock = new FakeClock()
const later = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds)

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const keys: Readonly<Record<string, readonly [KeyObject, string]>> = {
  'RSA in PKCS #1': [rsa, rsa.export({ type: 'pkcs1', format: 'pem' }) as string],
  'RSA in PKCS #8': [rsa, rsa.export({ type: 'pkcs8', format: 'pem' }) as string],
  ...Object.fromEntries(
    ['P-256', 'P-384'].map((namedCurve) => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve })
      return [`ECDSA ${namedCurve}`, [privateKey, privateKey.export({ type: 'sec1', format: 'pem' }) as string]]
    }),
  ),
}

function asked(expirationSeconds?: number) {
  const pem = createCsr({ ...generateKey(), subject: DistinguishedName.of('user', ['group']) })
  const spec = {
    request: Buffer.from(pem).toString('base64'),
    signerName: 'example.com/signer',
    ...(expirationSeconds !== undefined && { expirationSeconds }),
  }
  const request = { spec } as CertificateSigningRequest
  return { request, cluster: {} as ManagedCluster, addon: {} as ManagedClusterAddOn }
}

suite('defaultSigner', () => {
  for (const [title, [key, pem]] of Object.entries(keys)) {
    test(`signs with ${title}`, async () => {
      const authority = createAuthority('ca', key, clock.now(), later(365 * DAY))
      const sign = defaultSigner(pem, authority.certificatePem, DAY, { clock })
      const certificate = parseCertificatePem(await sign(asked()))
      assert.ok(certificate.isSignedBy(authority.key))
      assert.equal(certificate.subject.commonName, 'user')
      assert.deepEqual(certificate.subject.organizations, ['group'])
      assert.equal(certificate.isCa, false)
      assert.ok(certificate.notAfter <= later(DAY) && certificate.notAfter > later(DAY - HOUR))
    })
  }

  test('limits the lifetime to the duration and to the authority', async () => {
    const authority = createAuthority('ca', rsa, clock.now(), later(2 * HOUR))
    const pem = rsa.export({ type: 'pkcs8', format: 'pem' }) as string
    const sign = defaultSigner(pem, authority.certificatePem, DAY, { clock })
    const seconds = (date: Date) => Math.floor(date.getTime() / 1000)
    assert.equal(seconds(parseCertificatePem(await sign(asked())).notAfter), seconds(authority.certificate.notAfter))
    assert.equal(seconds(parseCertificatePem(await sign(asked(3600))).notAfter), seconds(later(HOUR)))
    clock.advance(3 * HOUR)
    await assert.rejects(sign(asked()), /expired/)
  })

  test('refuses a key of another certificate', () => {
    const { certificatePem } = createAuthority('ca', rsa, clock.now(), later(DAY))
    const { privateKey } = generateKey()
    const other = privateKey.export({ type: 'sec1', format: 'pem' }) as string
    assert.throws(() => defaultSigner(other, certificatePem, DAY), /does not belong to its certificate/)
  })
})
