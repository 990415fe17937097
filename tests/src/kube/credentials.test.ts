import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { CertificateSigningRequest, Secret } from '@orrery/kinds'
import { Informers, startControllers } from '@orrery/kube'
import { type ClientCertificateOptions, type CredentialReport, clientCertificate } from '@orrery/kube/credentials'
import { approveRequest, denyRequest, issueFor, readRequest } from '@orrery/kube/csr'
import { parseCertificatePem } from '@orrery/kube/pki'
import { eventually, FakeClock, NOW, testAuthority } from '@orrery/kube/testing'

const SIGNER = 'example.com/addon'
const secret = { namespace: 'default', name: 'helloworld-example.com-addon-client-cert' }
const requestSecret = { namespace: 'default', name: 'helloworld-request' }
const labels = { 'open-cluster-management.io/addon-name': 'helloworld' }

/** Keeps a certificate of a custom signer, as the registration of an add-on does. */
async function start(t: TestContext, options: Partial<ClientCertificateOptions> = {}) {
  const clock = new FakeClock(NOW)
  const server = await startApiServer({ host: false, clock })
  const client = server.client()
  const informers = new Informers(client, { clock })
  const reports: CredentialReport[] = []
  const labelSelector = 'open-cluster-management.io/addon-name=helloworld'
  const controllers = startControllers(
    [
      clientCertificate({
        name: 'helloworld-certificate',
        request: () => ({
          signerName: SIGNER,
          commonName: 'system:open-cluster-management:cluster:c1:addon:helloworld:agent:a1',
          organizations: ['system:open-cluster-management:cluster:c1:addon:helloworld'],
          hosts: ['helloworld.addon.open-cluster-management.io'],
          generateName: 'addon-c1-helloworld-',
          labels,
          expirationSeconds: 3_600,
        }),
        labelSelector,
        requests: informers.of(CertificateSigningRequest, { labelSelector }),
        store: client,
        secrets: informers.of(Secret, { namespace: 'default', fieldSelector: `metadata.name=${secret.name}` }),
        secret,
        requestSecret,
        additionalData: async () => ({ 'cluster-name': 'c1' }),
        report: async (report) => void reports.push(report),
        ...options,
      }),
    ],
    { client, clock },
  )
  t.after(async () => {
    await controllers.stop()
    await informers.close()
    await server.close()
  })
  const requests = async () => (await client.list(CertificateSigningRequest)).items
  const undecided = async () => (await requests()).find(({ status }) => status?.conditions === undefined)
  return { client, clock, reports, requests, undecided }
}

test('clientCertificate: requests a certificate of a custom signer, stores it and renews it', async (t) => {
  const { client, clock, reports, requests, undecided } = await start(t)
  const authority = testAuthority()
  const issue = async () => {
    await eventually('a request is pending', async () => (await undecided()) !== undefined)
    const request = (await undecided()) as CertificateSigningRequest
    assert.equal(request.spec.signerName, SIGNER)
    assert.equal(request.metadata.labels?.['open-cluster-management.io/addon-name'], 'helloworld')
    const approved = await approveRequest(client, request, { reason: 'Tested', message: '' }, { clock })
    await issueFor(client, approved, { authority, clock })
  }
  const certificate = async () => {
    const data = (await client.find(Secret, secret))?.data ?? {}
    return data['tls.crt'] && parseCertificatePem(Buffer.from(data['tls.crt'], 'base64').toString())
  }
  await issue()
  await eventually('the certificate is reported as valid', () => reports.at(-1)?.state === 'valid')
  const first = await certificate()
  assert.ok(first)
  assert.deepEqual(first.subject.organizations, ['system:open-cluster-management:cluster:c1:addon:helloworld'])
  const { data } = await client.get(Secret, secret)
  assert.deepEqual(Object.keys(data ?? {}).sort(), ['cluster-name', 'tls.crt', 'tls.key'])
  assert.equal(await client.find(Secret, requestSecret), undefined, 'the request under way is deleted')

  await eventually('the next one is requested', async () => {
    clock.advance(60_000)
    return (await undecided()) !== undefined
  })
  assert.ok(clock.now() < first.notAfter)
  await issue()
  await eventually('the next one is stored', async () => {
    const next = await certificate()
    return next !== undefined && next !== '' && next.fingerprint !== first.fingerprint
  })
  assert.equal((await requests()).length, 2)
})

test('clientCertificate: reports a denied request and sends no other', async (t) => {
  const { client, clock, reports, requests, undecided } = await start(t)
  await eventually('a request is pending', async () => (await undecided()) !== undefined)
  const request = (await undecided()) as CertificateSigningRequest
  await denyRequest(client, request, { reason: 'Unknown', message: 'no such add-on' }, { clock })
  await eventually('it is reported', () => reports.length > 0)
  assert.deepEqual(reports[0], {
    state: 'failed',
    problem: 'denied',
    message: `certificatesigningrequests.certificates.k8s.io "${request.metadata.name}" was denied: Unknown: no such add-on`,
  })
  assert.equal((await requests()).length, 1)
})

test('clientCertificate: requests nothing before mayRequest allows it', async (t) => {
  let asked = 0
  const mayRequest = () => {
    asked++
    return false
  }
  const { requests } = await start(t, { mayRequest })
  await eventually('it has sent a request', () => asked > 0)
  assert.deepEqual(await requests(), [])
})

test('clientCertificate: replaces a pending request when the groups of the subject change', async (t) => {
  let organizations = ['group-of-cluster']
  const request = () => ({
    signerName: SIGNER,
    commonName: 'agent',
    organizations,
    generateName: 'addon-c1-helloworld-',
    labels,
  })
  const { client, requests } = await start(t, { request })
  await eventually('a request is pending', async () => (await requests()).length === 1)
  organizations = ['group-of-cluster', 'group-of-addon']
  // Any change of its requests wakes the controller.
  const [pending] = await requests()
  await client.patch(
    CertificateSigningRequest,
    { name: pending?.metadata.name ?? '' },
    {
      metadata: { annotations: { changed: 'yes' } },
    },
  )
  await eventually('another one is sent', async () => {
    const subjects = (await requests()).map((one) => readRequest(one).subject.organizations.toSorted())
    return subjects.some((groups) => groups.join() === 'group-of-addon,group-of-cluster')
  })
})
