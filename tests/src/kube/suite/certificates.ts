import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { test } from 'node:test'
import { CertificateSigningRequest } from '@orrery/kinds'
import { isForbidden, isInvalid, isNotFound } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import {
  approveRequest,
  denyRequest,
  failRequest,
  isApproved,
  isDenied,
  issueFor,
  readRequest,
  requestCertificate,
  waitForCertificate,
} from '@orrery/kube/csr'
import { createAuthority, generateKey, isKeyOf, parseCertificatePem } from '@orrery/kube/pki'
import { eventually } from '@orrery/kube/testing'
import { type Connect, counting, uniqueName } from './subject.js'

const because = { reason: 'Tested', message: 'by the suite' }
const never = new AbortController().signal

/** Certificates from the request to the delivery, with a signer of the suite. */
export function certificatesSuite(where: string, connect: Connect): void {
  const ordered = async (t: Parameters<Connect>[0]) => {
    const { client } = await connect(t)
    const order = await requestCertificate(client, {
      signerName: 'example.com/suite',
      commonName: 'somebody',
      organizations: ['these', 'those'],
      hosts: ['somebody.example.com', '192.0.2.1'],
      usages: ['digital signature', 'client auth'],
      expirationSeconds: 3_600,
      generateName: `${uniqueName('suite')}-`,
      labels: { suite: 'kube' },
    })
    const { name } = order.request.metadata
    t.after(() => client.ensureDeleted(CertificateSigningRequest, { name }))
    return { client, ...order, ref: { name } }
  }

  test(`${where}: a certificate is requested, approved, issued and delivered`, async (t) => {
    const { client, request, privateKeyPem } = await ordered(t)
    assert.deepEqual(request.metadata.labels, { suite: 'kube' })
    const read = readRequest(request)
    assert.equal(read.subject.commonName, 'somebody')
    assert.deepEqual(read.subject.organizations, ['these', 'those'])
    assert.deepEqual(read.altNames.dns, ['somebody.example.com'])
    assert.deepEqual(read.altNames.ips, ['192.0.2.1'])

    const transport = counting(client.transport)
    const delivered = waitForCertificate(new KubeClient(transport), request, { signal: never })
    await eventually('the watch is open', () => transport.requests.length === 2)
    const approved = await approveRequest(client, request, because)
    assert.ok(isApproved(approved) && !isDenied(approved))
    assert.equal(await approveRequest(client, approved, because), approved)
    assert.equal(approved.status?.conditions?.[0]?.reason, 'Tested')
    const now = new Date()
    const authority = createAuthority('suite', generateKey().privateKey, now, new Date(now.getTime() + 86_400_000))
    const issued = await issueFor(client, request, { authority })
    assert.equal(await issueFor(client, issued, { authority }), issued)
    const certificate = parseCertificatePem(await delivered)
    assert.equal(certificate.subject.commonName, 'somebody')
    assert.ok(certificate.isSignedBy(authority.key))
    assert.ok(isKeyOf(createPrivateKey(privateKeyPem), certificate))
    assert.ok(Math.abs(certificate.notAfter.getTime() - now.getTime() - 3_600_000) < 60_000)
    assert.equal(await waitForCertificate(client, request, { signal: never }), await delivered)
    assert.ok(transport.requests.length === 2, 'one look and one watch are enough')
  })

  test(`${where}: a request that is denied, fails or is deleted rejects the wait`, async (t) => {
    const [denied, failed, deleted, given] = await Promise.all([ordered(t), ordered(t), ordered(t), ordered(t)])
    const wait = ({ client, request }: typeof denied, signal = never) => waitForCertificate(client, request, { signal })
    const stop = new AbortController()
    const waiting = [
      assert.rejects(
        wait(denied),
        (error) => isForbidden(error) && /was denied: Tested: by the suite$/.test(error.message),
      ),
      assert.rejects(wait(failed), (error) => isInvalid(error) && /failed: Tested: by the suite$/.test(error.message)),
      assert.rejects(wait(deleted), isNotFound),
      assert.rejects(wait(given, stop.signal), /enough/),
    ]
    await denyRequest(denied.client, denied.request, because)
    await approveRequest(failed.client, failed.request, because)
    await failRequest(failed.client, failed.request, because)
    await deleted.client.delete(CertificateSigningRequest, deleted.ref)
    stop.abort(new Error('enough'))
    await Promise.all(waiting)
    await assert.rejects(approveRequest(deleted.client, deleted.request, because), isNotFound)
  })
}
