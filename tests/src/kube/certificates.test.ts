import assert from 'node:assert/strict'
import test from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { approveRequest, requestCertificate, waitForCertificate } from '@orrery/kube/csr'
import { parseCertificatePem } from '@orrery/kube/pki'
import { patience } from '@orrery/kube/testing'

test('csr: the embedded server issues certificates of its own signers', async (t) => {
  const server = await startApiServer({ host: false })
  t.after(() => server.close())
  const client = server.client()
  const signerName = 'kubernetes.io/kube-apiserver-client'
  const { request } = await requestCertificate(client, { signerName, commonName: 'agent', organizations: ['agents'] })
  const delivered = waitForCertificate(client, request, { signal: patience() })
  await approveRequest(client, request, { reason: 'Tested', message: '' })
  const certificate = parseCertificatePem(await delivered)
  assert.equal(certificate.subject.commonName, 'agent')
  assert.deepEqual(certificate.subject.organizations, ['agents'])
})
