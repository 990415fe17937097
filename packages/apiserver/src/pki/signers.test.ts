import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AltNames,
  createCsr,
  DistinguishedName,
  generateKey,
  NO_ALT_NAMES,
  OID_CLIENT_AUTH,
  parseCertificatePem,
  parseCsr,
  signRequest,
} from '@orrery/kube/pki'
import { NOW, openssl, testAuthority } from '@orrery/kube/testing'
import {
  isBuiltInSigner,
  SIGNER_CLIENT,
  SIGNER_KUBELET_CLIENT,
  SIGNER_KUBELET_SERVING,
  SIGNER_LEGACY_UNKNOWN,
  signerProblem,
} from './signers.js'

const NODE = 'system:node:n1'
const CLIENT = ['digital signature', 'key encipherment', 'client auth']
const SERVER = ['digital signature', 'key encipherment', 'server auth']

function request(commonName: string, organizations: readonly string[] = [], names: Partial<AltNames> = {}) {
  const subject = DistinguishedName.of(commonName, organizations)
  return parseCsr(createCsr({ subject, altNames: { ...NO_ALT_NAMES, ...names }, ...generateKey() }))
}

test('signerProblem: returns why each signer refuses a request', () => {
  const cases: [string, ReturnType<typeof request>, readonly string[], string | undefined][] = [
    [SIGNER_CLIENT, request('u'), CLIENT, undefined],
    [SIGNER_CLIENT, request('u'), ['client auth'], undefined],
    [SIGNER_CLIENT, request('u'), ['digital signature'], 'missing required usage for client certificate: client auth'],
    [SIGNER_CLIENT, request('u'), ['client auth', 'server auth'], 'invalid usage for client certificate: server auth'],
    [SIGNER_KUBELET_CLIENT, request(NODE, ['system:nodes']), CLIENT, undefined],
    [SIGNER_KUBELET_CLIENT, request(NODE, ['system:nodes']), ['digital signature', 'client auth'], undefined],
    [SIGNER_KUBELET_CLIENT, request(NODE, ['a', 'system:nodes']), CLIENT, 'subject organization is not system:nodes'],
    [
      SIGNER_KUBELET_CLIENT,
      request('n1', ['system:nodes']),
      CLIENT,
      'subject common name does not begin with system:node:',
    ],
    [
      SIGNER_KUBELET_CLIENT,
      request(NODE, ['system:nodes'], { dns: ['x'] }),
      CLIENT,
      'DNS subjectAltNames are not allowed',
    ],
    [
      SIGNER_KUBELET_CLIENT,
      request(NODE, ['system:nodes'], { ips: ['1.2.3.4'] }),
      CLIENT,
      'IP subjectAltNames are not allowed',
    ],
    [
      SIGNER_KUBELET_CLIENT,
      request(NODE, ['system:nodes']),
      SERVER,
      'usages did not match [client auth digital signature key encipherment]',
    ],
    [SIGNER_KUBELET_SERVING, request(NODE, ['system:nodes'], { dns: ['x'] }), SERVER, undefined],
    [SIGNER_KUBELET_SERVING, request(NODE, ['system:nodes']), SERVER, 'DNS or IP subjectAltName is required'],
    [
      SIGNER_KUBELET_SERVING,
      request(NODE, ['system:nodes'], { dns: ['x'], uris: ['a://b'] }),
      SERVER,
      'URI subjectAltNames are not allowed',
    ],
    [
      SIGNER_KUBELET_SERVING,
      request('x', ['system:nodes'], { dns: ['x'] }),
      SERVER,
      'subject common name does not begin with system:node:',
    ],
    [SIGNER_LEGACY_UNKNOWN, request('anything'), ['code signing'], undefined],
  ]
  for (const [signer, csr, usages, problem] of cases) assert.equal(signerProblem(signer, csr, usages), problem)
  assert.ok(!isBuiltInSigner('example.com/mine'))
})

test('signRequest: issues a valid certificate with the requested subject and usages', (t) => {
  const authority = testAuthority()
  const csr = request('alice', ['dev', 'ops'], { dns: ['alice.example'] })
  const pem = signRequest({ csr, usages: CLIENT, expirationSeconds: undefined, authority, now: NOW })
  const certificate = parseCertificatePem(pem)
  assert.equal(certificate.subject.commonName, 'alice')
  assert.deepEqual(certificate.subject.organizations, ['dev', 'ops'])
  assert.deepEqual(certificate.altNames.dns, ['alice.example'])
  assert.deepEqual(certificate.keyUsage, new Set([0, 2]))
  assert.deepEqual(certificate.extendedUsages, new Set([OID_CLIENT_AUTH]))
  assert.equal(certificate.isCa, false)
  assert.ok(certificate.publicKeyDer.equals(csr.publicKeyDer))
  const text = openssl(['x509', '-noout', '-text'], pem)
  if (text === undefined) return t.skip('no openssl here')
  assert.match(text, /X509v3 Key Usage: critical\s+Digital Signature, Key Encipherment/)
  assert.match(text, /TLS Web Client Authentication/)
  assert.match(text, /CA:FALSE/)
  assert.match(text, /CN = alice/)
})
