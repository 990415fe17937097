import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { createCsr, DistinguishedName, generateKey } from '@orrery/kube/pki'
import { SIGNER_CLIENT } from '../pki/signers.js'
import { checkApproval, checkRequestedSubject, checkSigning } from './certificate-requests.js'
import { RbacAuthorizer } from './rbac.js'
import { identity, MemoryRules, user } from './testing.fixture.js'

const alice = identity('alice')

function may(...verbs: string[]): RbacAuthorizer {
  const rule = { verbs, apiGroups: ['certificates.k8s.io'], resources: ['signers'], resourceNames: ['kubernetes.io/*'] }
  return new RbacAuthorizer(new MemoryRules().addRole('', 'r', rule).bind('', 'b', 'ClusterRole/r', user('alice')))
}

function request(signerName: string, organization = 'dev', status: object = {}): KubeObject {
  const pem = createCsr({ subject: DistinguishedName.of('alice', [organization]), ...generateKey() })
  const spec = { signerName, request: Buffer.from(pem).toString('base64') }
  return {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec,
    status,
  }
}

const refused = (why: string) => (error: unknown) => {
  assert.ok(error instanceof StatusError)
  assert.equal(error.message, `certificatesigningrequests.certificates.k8s.io "r" is forbidden: ${why}`)
  return true
}

test('nobody can ask to be a master through the client signer', () => {
  checkRequestedSubject(request(SIGNER_CLIENT))
  checkRequestedSubject(request('example.com/other', 'system:masters'))
  assert.throws(
    () => checkRequestedSubject(request(SIGNER_CLIENT, 'system:masters')),
    refused('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'),
  )
  const broken = { ...request(SIGNER_CLIENT), spec: { signerName: SIGNER_CLIENT, request: 'eA==' } }
  assert.throws(() => checkRequestedSubject(broken), /failed to parse CSR/)
})

test('approving and signing need the permission of the signer', async () => {
  const before = request(SIGNER_CLIENT)
  await checkApproval(before, alice, may('approve'))
  await assert.rejects(
    checkApproval(before, alice, may('sign')),
    refused('user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"'),
  )
  const signed = { ...before, status: { certificate: 'eA==' } }
  await checkSigning(signed, before, alice, may('sign'))
  await assert.rejects(
    checkSigning(signed, before, alice, may('approve')),
    refused('user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"'),
  )
  const failed = { ...before, status: { conditions: [{ type: 'Failed' }] } }
  await assert.rejects(checkSigning(failed, before, alice, may('approve')), /not permitted to sign/)
  await checkSigning({ ...before, status: { conditions: [] } }, before, alice, may())
})
