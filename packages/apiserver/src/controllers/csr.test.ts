import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { CertificateSigningRequestStatus } from '@orrery/kinds/certificates'
import { findCondition, isForbidden } from '@orrery/kinds/values'
import { createCsr, DistinguishedName, generateKey, parseCertificatePem } from '@orrery/kube/pki'
import { type InnerServer, startInnerServer } from '../testing/inner-server.fixture.js'
import { certificateSigner } from './csr.js'
import { certificateCleaner } from './csr-cleaner.js'
import { CSRS } from './resources.js'

const CLIENT = 'kubernetes.io/kube-apiserver-client'

function csr(name: string, signerName = CLIENT, groups: string[] = []): KubeObject {
  const request = createCsr({ subject: DistinguishedName.of('jane', groups), ...generateKey() })
  const spec = {
    signerName,
    request: Buffer.from(request).toString('base64'),
    usages: ['client auth'],
    username: 'forged',
  }
  return { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name }, spec }
}

const decide = (server: InnerServer, name: string, type: 'Approved' | 'Denied') =>
  server.client.change(
    CSRS,
    '',
    name,
    (live) => ({
      ...live,
      status: { ...(live.status as object), conditions: [{ type, status: 'True', reason: 'test' }] },
    }),
    'approval',
  )

const statusOf = (object: KubeObject | undefined) => (object?.status ?? {}) as CertificateSigningRequestStatus
const start = (t: test.TestContext) => startInnerServer(t, { controllers: [certificateSigner, certificateCleaner] })

test('certificateSigner: signs an approved request, which names its requester', async (t) => {
  const server = await start(t)
  const made = await server.client.create(CSRS, csr('jane'))
  assert.equal((made.spec as { username: string }).username, 'system:apiserver')
  await decide(server, 'jane', 'Approved')
  const issued = await server.eventually(CSRS, '', 'jane', (found) => (statusOf(found).certificate ?? '') !== '')
  const pem = Buffer.from(statusOf(issued).certificate ?? '', 'base64').toString()
  assert.equal(parseCertificatePem(pem).subject.commonName, 'jane')
})

test('certificateSigner: fails a request that its signer refuses', async (t) => {
  const server = await start(t)
  await server.client.create(CSRS, csr('node', 'kubernetes.io/kube-apiserver-client-kubelet'))
  await decide(server, 'node', 'Approved')
  const failed = await server.eventually(
    CSRS,
    '',
    'node',
    (found) => findCondition(statusOf(found).conditions, 'Failed') !== undefined,
  )
  const condition = findCondition(statusOf(failed).conditions, 'Failed')
  assert.deepEqual(
    [condition?.reason, condition?.message],
    ['SignerValidationFailure', 'subject organization is not system:nodes'],
  )
})

test('certificateSigner: ignores requests for other signers', async (t) => {
  const server = await start(t)
  await server.client.create(CSRS, csr('other', 'example.com/signer'))
  await decide(server, 'other', 'Approved')
  await server.client.create(CSRS, csr('mine'))
  await decide(server, 'mine', 'Approved')
  await server.eventually(CSRS, '', 'mine', (found) => (statusOf(found).certificate ?? '') !== '')
  assert.equal(statusOf(server.client.get(CSRS, '', 'other')).certificate, undefined)
})

test('certificateCleaner: deletes requests that are no longer needed', async (t) => {
  const server = await start(t)
  await server.client.create(CSRS, csr('open'))
  await server.client.create(CSRS, csr('denied'))
  await decide(server, 'denied', 'Denied')
  await new Promise((resolve) => setImmediate(resolve))
  server.clock.advance(3_601_000)
  await server.eventually(CSRS, '', 'denied', (found) => found === undefined)
  assert.ok(server.client.get(CSRS, '', 'open'))
  server.clock.advance(24 * 3_600_000)
  await server.eventually(CSRS, '', 'open', (found) => found === undefined)
})

test('certificate admission: refuses system:masters, and approval without permission', async (t) => {
  const server = await start(t)
  await assert.rejects(
    server.client.create(CSRS, csr('root', CLIENT, ['system:masters'])),
    /use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed/,
  )
  await server.client.create(CSRS, csr('jane'))
  const jane = server.as({ username: 'jane', uid: '', groups: [], extra: {} })
  await assert.rejects(
    jane.change(
      CSRS,
      '',
      'jane',
      (live) => ({ ...live, status: { conditions: [{ type: 'Approved', status: 'True' }] } }),
      'approval',
    ),
    (error) => {
      assert.ok(isForbidden(error))
      assert.match(
        error.message,
        /user not permitted to approve requests with signerName "kubernetes.io\/kube-apiserver-client"/,
      )
      return true
    },
  )
})

test('certificateSigning: allows changes of conditions in status only with the sign permission', async (t) => {
  const server = await start(t)
  await server.client.create(CSRS, csr('jane'))
  const jane = server.as({ username: 'jane', uid: '', groups: [], extra: {} })
  const status = { conditions: [{ type: 'Failed', status: 'True' }] }
  await assert.rejects(
    jane.change(CSRS, '', 'jane', (live) => ({ ...live, status }), 'status'),
    /user not permitted to sign requests with signerName "kubernetes.io\/kube-apiserver-client"/,
  )
  await jane.change(CSRS, '', 'jane', (live) => ({ ...live, status: { conditions: [] } }), 'status')
})

test('certificateCleaner: keeps a request whose state does not determine its end', async (t) => {
  const server = await start(t)
  await server.client.create(CSRS, csr('odd', 'example.test/signer'))
  const conditions = [{ type: 'Odd', status: 'True', reason: 'test', lastUpdateTime: '2026-01-01T00:00:00Z' }]
  await server.client.change(CSRS, '', 'odd', (live) => ({ ...live, status: { conditions } }), 'status')
  server.clock.advance(48 * 3_600_000)
  await server.store.flushed()
  assert.notEqual(server.client.get(CSRS, '', 'odd'), undefined)
})
