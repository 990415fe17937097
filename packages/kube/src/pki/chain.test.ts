import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hoursFrom, issueClient, NOW, testAuthority } from '../testing/certificates.js'
import { type Authority, generateKey, loadAuthority, privateKeyPem } from './authority.js'
import { certificateKey, parseCertificate } from './certificate.js'
import { TrustRoots, UntrustedCertificate, verifyChain } from './chain.js'
import { DistinguishedName } from './distinguished-name.js'
import { issueCertificate } from './issue.js'
import { encodePem } from './pem.js'
import { OID_CLIENT_AUTH, usagesFromNames } from './usages.js'

const authority = testAuthority()
const roots = new TrustRoots([authority.certificate])

function verify(leaf: ReturnType<typeof issueClient>, intermediates: Authority[] = [], now = NOW) {
  const certificates = intermediates.map(({ certificate }) => certificate)
  return verifyChain(leaf.certificate, certificates, roots, OID_CLIENT_AUTH, now)
}

function intermediate(parent: Authority, usages = ['cert sign'], isCa = true): Authority {
  const { privateKey, publicKey } = generateKey()
  const der = issueCertificate({
    subject: DistinguishedName.of('intermediate'),
    publicKeyDer: publicKey.export({ type: 'spki', format: 'der' }),
    usages: usagesFromNames(usages),
    notBefore: hoursFrom(NOW, -1),
    notAfter: hoursFrom(NOW, 100),
    isCa,
    issuer: parent.issuer,
  })
  if (isCa) return loadAuthority(encodePem('CERTIFICATE', der), privateKeyPem(privateKey))
  const certificate = parseCertificate(der)
  const issuer = { nameDer: certificate.subjectDer, key: privateKey, keyId: Buffer.alloc(20) }
  return { certificate, certificatePem: '', key: privateKey, issuer }
}

test('verifyChain: trusts a client certificate of the authority', () => {
  assert.deepEqual(verify(issueClient(authority, { name: 'alice' })), hoursFrom(NOW, 24))
})

test('verifyChain: trusts a chain through an intermediate authority', () => {
  const middle = intermediate(authority)
  verify(issueClient(middle, { name: 'alice' }), [middle])
  assert.throws(() => verify(issueClient(middle, { name: 'alice' })), /unknown authority/)
})

test('verifyChain: rejects expired and future certificates', () => {
  const leaf = issueClient(authority, { name: 'alice' })
  assert.throws(() => verify(leaf, [], hoursFrom(NOW, 25)), /expired or is not yet valid/)
  assert.throws(() => verify(leaf, [], hoursFrom(NOW, -2)), /expired or is not yet valid/)
})

test('verifyChain: rejects a certificate of another authority with the same name', () => {
  const impostor = testAuthority('test-ca')
  assert.ok(impostor.certificate.subjectDer.equals(authority.certificate.subjectDer))
  assert.throws(() => verify(issueClient(impostor, { name: 'alice' }, {})), /unknown authority/)
  assert.throws(() => verify(issueClient(impostor, { name: 'alice' }), [impostor]), UntrustedCertificate)
})

test('verifyChain: rejects a server certificate for a client', () => {
  const server = issueClient(authority, { name: 'web' }, { usages: usagesFromNames(['server auth']) })
  assert.throws(() => verify(server), /incompatible key usage/)
  verify(issueClient(authority, { name: 'any' }, { usages: usagesFromNames(['any']) }))
  verify(issueClient(authority, { name: 'unrestricted' }, { usages: usagesFromNames([]) }))
})

test('verifyChain: rejects a certificate issued by a certificate that is no authority', () => {
  const leafAsIssuer = intermediate(authority, ['digital signature'], false)
  assert.throws(() => verify(issueClient(leafAsIssuer, { name: 'eve' }), [leafAsIssuer]), /cannot sign/)
  const wrongUsage = intermediate(authority, ['digital signature'])
  assert.throws(() => verify(issueClient(wrongUsage, { name: 'eve' }), [wrongUsage]), /cannot sign/)
})

test('verifyChain: rejects a self-signed certificate', () => {
  const self = testAuthority('eve')
  assert.throws(() => verify({ certificate: self.certificate, key: self.key }, [self]), UntrustedCertificate)
})

test('verifyChain: rejects many intermediates of one name quickly', () => {
  const loops = Array.from({ length: 60 }, () => intermediate(intermediate(authority)))
  const leaf = issueClient(loops[0]!, { name: 'eve' })
  assert.throws(() => verify(leaf, loops), UntrustedCertificate)
})

test('verifyChain: rejects a certificate with a changed byte', () => {
  const { certificate } = issueClient(authority, { name: 'alice' })
  const bytes = Buffer.from(certificate.der)
  bytes.write('mallo', bytes.indexOf('alice'))
  assert.equal(parseCertificate(bytes).isSignedBy(certificateKey(authority.certificate)), false)
})
