import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { suite, type TestContext, test } from 'node:test'
import {
  type AgentAddon,
  agentSubject,
  defaultApprover,
  defaultSigner,
  registrationControllers,
  subjectApprover,
} from '@orrery/addon'
import { KUBE_CLIENT_SIGNER, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { CertificateSigningRequest } from '@orrery/kinds'
import { writeConditions } from '@orrery/kube'
import { approveRequest, certificateOf, isApproved, requestCertificate } from '@orrery/kube/csr'
import { createAuthority, parseCertificatePem } from '@orrery/kube/pki'
import type { HubServer } from '../hub/hub-server.js'
import { clusterWithNamespace, ownedAddon, partHub } from './part-hub.js'

const SIGNER = 'example.com/hello'
const HOUR = 3_600_000

/** A certificate authority of the add-on, valid around the time of the tests' clock. */
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const authority = createAuthority('hello-ca', privateKey, new Date('2000-01-01'), new Date('2100-01-01'))
const keyPem = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string

function hello(hub: () => HubServer): AgentAddon {
  const approve = defaultApprover()
  const approveSigned = subjectApprover(() => ({ user: 'signed', groups: ['group'] }))
  return {
    name: 'hello',
    manifests: () => [],
    registration: {
      configurations: () => [
        { type: 'kubeClient' },
        { type: 'customSigner', signerName: SIGNER, user: 'signed', groups: ['group'] },
      ],
      approve: (asked, context) =>
        asked.request.spec.signerName === SIGNER ? approveSigned(asked, context) : approve(asked, context),
      sign: (asked) => defaultSigner(keyPem, authority.certificatePem, 24 * HOUR, { clock: hub().clock })(asked),
    },
  }
}

async function started(t: TestContext, withAddon = true): Promise<HubServer> {
  let hub: HubServer | undefined
  hub = await partHub(t, [hello(() => hub as HubServer)], registrationControllers)
  await clusterWithNamespace(hub, 'c1')
  if (withAddon) await ownedAddon(hub, 'c1', 'hello')
  return hub
}

interface Asked {
  readonly cluster?: string
  readonly requester?: string
  readonly generateName?: string
  readonly signerName?: string
  readonly commonName?: string
  readonly organizations?: readonly string[]
}

/** Requests a certificate as the agent of a cluster, who may do everything on the API server here. */
async function ask(hub: HubServer, asked: Asked = {}): Promise<CertificateSigningRequest> {
  const { cluster = 'c1', requester = 'c1', generateName = `addon-${cluster}-hello-` } = asked
  const byDefault = agentSubject(cluster, 'hello')
  const client = hub.as(`system:open-cluster-management:${requester}:agent1`, 'system:masters')
  const { request } = await requestCertificate(client, {
    generateName,
    signerName: asked.signerName ?? KUBE_CLIENT_SIGNER,
    commonName: asked.commonName ?? byDefault.user,
    organizations: asked.organizations ?? byDefault.groups,
    hosts: ['hello.addon.open-cluster-management.io'],
    labels: {
      'open-cluster-management.io/addon-name': 'hello',
      'open-cluster-management.io/cluster-name': cluster,
    },
  })
  return request
}

const issued = (hub: HubServer, { metadata: { name } }: CertificateSigningRequest) =>
  hub.when(CertificateSigningRequest, { name }, ({ status }) => (status?.certificate ?? '') !== '')

suite('requestApproval', () => {
  test('approves the default identity', async (t) => {
    const hub = await started(t)
    const request = await issued(hub, await ask(hub))
    const [condition] = request.status?.conditions ?? []
    assert.equal(condition?.type, 'Approved')
    assert.equal(condition?.reason, 'AutoApprovedByHubCSRApprovingController')
    assert.equal(condition?.message, 'Auto approving addon agent certificate.')
    const certificate = parseCertificatePem(certificateOf(request) ?? '')
    assert.equal(certificate.subject.commonName, agentSubject('c1', 'hello').user)
  })

  test('approves a request from before the add-on was installed', async (t) => {
    const hub = await started(t, false)
    const request = await ask(hub)
    await hub.settle()
    const { metadata } = request
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
    await ownedAddon(hub, 'c1', 'hello')
    await issued(hub, request)
  })

  test('denies requests that the agent has replaced because its subject was set later, and no others', async (t) => {
    const hub = await started(t)
    const { groups } = agentSubject('c1', 'hello')
    const early = await ask(hub, { organizations: [groups[0]] })
    const signed = await ask(hub, { signerName: SIGNER })
    const stranger = await ask(hub, { requester: 'c2' })
    await hub.settle()
    const conditionsOf = async ({ metadata }: CertificateSigningRequest) =>
      (await hub.client.get(CertificateSigningRequest, metadata)).status?.conditions ?? []
    assert.deepEqual(await conditionsOf(early), [], 'it is pending')
    const late = await ask(hub)
    await issued(hub, late)
    await hub.eventually('the replaced request is denied', async () => (await conditionsOf(early)).length > 0)
    const [{ type, reason, message } = {}] = await conditionsOf(early)
    assert.deepEqual([type, reason], ['Denied', 'Superseded'])
    assert.equal(message, `The agent has requested another subject in ${late.metadata.name}.`)
    assert.deepEqual(await conditionsOf(signed), [], 'of another signer')
    assert.deepEqual(await conditionsOf(stranger), [], 'of another agent')
  })

  test('approves nothing for a denied cluster until it is accepted again', async (t) => {
    const hub = await started(t)
    const accept = (hubAcceptsClient: boolean) =>
      hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient } })
    await accept(false)
    await hub.settle()
    const request = await ask(hub)
    const approved = await ask(hub, { signerName: SIGNER, commonName: 'signed', organizations: ['group'] })
    await approveRequest(hub.client, approved, { reason: 'Tested', message: '' }, { clock: hub.clock })
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, request.metadata)), false)
    const { status } = await hub.client.get(CertificateSigningRequest, approved.metadata)
    assert.equal(status?.certificate, undefined)
    await accept(true)
    await issued(hub, request)
    await issued(hub, approved)
  })

  test('checks open requests again only for changes that may decide them', async (t) => {
    let checks = 0
    const approve = () => {
      checks += 1
      return false
    }
    const hub = await partHub(
      t,
      [{ name: 'hello', manifests: () => [], registration: { approve } }],
      registrationControllers,
    )
    await clusterWithNamespace(hub, 'c1')
    const addon = await ownedAddon(hub, 'c1', 'hello')
    await ask(hub)
    await hub.settle()
    const before = checks
    assert.ok(before > 0)
    const finding = { type: 'Available', status: 'False', reason: 'Tested', message: 'x' } as const
    const reported = await writeConditions(hub.client, ManagedClusterAddOn, addon, [finding], { clock: hub.clock })
    await hub.settle()
    assert.equal(checks, before)
    await hub.client.patch(ManagedClusterAddOn, reported.metadata, { metadata: { annotations: { changed: 'yes' } } })
    await hub.eventually('the request is checked again', async () => checks > before)
  })

  const ignored: Readonly<Record<string, Asked>> = {
    'a name that does not begin with addon': { generateName: 'c1-' },
    'the agent of another cluster': { requester: 'c2' },
    'the agent of a cluster whose name begins like this one': { requester: 'c10' },
    'the identity of an agent of another cluster': { commonName: agentSubject('c2', 'hello').user },
    'more groups': { organizations: [...agentSubject('c1', 'hello').groups, 'system:nodes'] },
    'a cluster that does not exist': { cluster: 'c3', requester: 'c3' },
    'another subject of the custom signer': { signerName: SIGNER },
  }
  test('approves nothing else', async (t) => {
    const hub = await started(t)
    await issued(hub, await ask(hub))
    const requests = new Map<string, CertificateSigningRequest>()
    for (const [title, asked] of Object.entries(ignored)) requests.set(title, await ask(hub, asked))
    await hub.settle()
    for (const [title, { metadata }] of requests) {
      const { status } = await hub.client.get(CertificateSigningRequest, metadata)
      assert.deepEqual(status?.conditions ?? [], [], title)
    }
  })
})

suite('requestSigning', () => {
  test('signs approved requests of a custom signer', async (t) => {
    const hub = await started(t)
    const asked = { signerName: SIGNER, commonName: 'signed', organizations: ['group'] }
    const certificate = parseCertificatePem(certificateOf(await issued(hub, await ask(hub, asked))) ?? '')
    assert.ok(certificate.isSignedBy(authority.key))
    assert.equal(certificate.subject.commonName, 'signed')
    const lifetime = certificate.notAfter.getTime() - hub.clock.now().getTime()
    assert.ok(lifetime <= 24 * HOUR && lifetime > 23 * HOUR)
  })

  test('does not sign for a signer that the add-on does not register with', async (t) => {
    const hub = await started(t)
    const request = await ask(hub, { signerName: 'example.com/other' })
    await approveRequest(hub.client, request, { reason: 'Tested', message: '' }, { clock: hub.clock })
    await issued(hub, await ask(hub))
    await hub.settle()
    const { status } = await hub.client.get(CertificateSigningRequest, request.metadata)
    assert.equal(status?.certificate, undefined)
  })
})
