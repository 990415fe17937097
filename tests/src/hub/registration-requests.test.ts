import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  ADDON_NAME_LABEL,
  AUTOMATICALLY_ACCEPTED_ANNOTATION,
  BOOTSTRAP_GROUP,
  CLUSTER_NAME_LABEL,
  CREATED_BY_ANNOTATION,
  ManagedCluster,
  ManagedClusterCondition,
} from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER } from '@orrery/hub'
import { CertificateSigningRequest, Event, Namespace, RoleBinding } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { approveRequest, certificateOf, isApproved } from '@orrery/kube/csr'
import { type AgentCsr, askForCertificate } from './agent-csr.js'
import { acceptedCluster, availableCluster, conditionOf, createCluster, report, says } from './clusters.js'
import { HubServer } from './hub-server.js'

const { Available, HubAccepted } = ManagedClusterCondition
const trusting = {
  features: { ManagedClusterAutoApproval: true },
  options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER] },
}
/** The annotations of a cluster that a user with the bootstrap token created. */
const joinedByToken = { annotations: { [CREATED_BY_ANNOTATION]: BOOTSTRAP_TOKEN_USER } }
const issued = (request: CertificateSigningRequest) => isApproved(request) && certificateOf(request) !== undefined

/** How often the hub has reconciled a request. */
function looks(hub: HubServer): number {
  const text = hub.controllers.metrics.render()
  const counts = text.matchAll(/^controller_runtime_reconcile_total\{.*controller="request-approval".*\} (\d+)$/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

suite('request of an agent of an accepted cluster', () => {
  test('is approved for its own certificate', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const { metadata } = await askForCertificate(hub.asAgent('c1'), { cluster: 'c1' })
    const request = await hub.when(CertificateSigningRequest, metadata, issued)
    const [approval] = request.status?.conditions ?? []
    assert.equal(approval?.reason, 'AutoApprovedByHubCSRApprovingController')
    await hub.eventually('the event is there', async () => {
      const { items } = await hub.client.list(Event)
      return items.some(({ reason }) => reason === 'ManagedClusterCSRAutoApproved')
    })
  })

  test('may omit the group of all agents', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const organizations = ['system:open-cluster-management:c1']
    const { metadata } = await askForCertificate(hub.asAgent('c1'), { cluster: 'c1', organizations })
    await hub.when(CertificateSigningRequest, metadata, issued)
  })

  const refused: readonly (readonly [what: string, csr: AgentCsr])[] = [
    ['the name of an agent of another cluster', { cluster: 'c2' }],
    ['another cluster behind the label of its own', { cluster: 'c2', labels: { [CLUSTER_NAME_LABEL]: 'c1' } }],
    ['the name of another agent of its cluster', { cluster: 'c1', agent: 'agent2' }],
    ['one more group', { cluster: 'c1', organizations: ['system:open-cluster-management:c1', 'developers'] }],
    [
      'the group of another cluster as well',
      { cluster: 'c1', organizations: ['system:open-cluster-management:c1', 'system:open-cluster-management:c2'] },
    ],
    ['no group', { cluster: 'c1', organizations: ['system:open-cluster-management:managed-clusters'] }],
    ['a request without a label', { cluster: 'c1', labels: {} }],
    ['a request with an empty label', { cluster: 'c1', labels: { [CLUSTER_NAME_LABEL]: '' } }],
    [
      'a request that is labelled as that of an add-on',
      { cluster: 'c1', labels: { [CLUSTER_NAME_LABEL]: 'c1', [ADDON_NAME_LABEL]: 'a' } },
    ],
    ['a name of more parts', { cluster: 'c1', commonName: 'system:open-cluster-management:c1:agent1:x' }],
    ['a name without an agent', { cluster: 'c1', commonName: 'system:open-cluster-management:c1' }],
    ['a name that is not an agent’s', { cluster: 'c1', commonName: 'kubernetes-admin' }],
    ['another signer', { cluster: 'c1', signerName: 'example.com/signer' }],
  ]

  test('is not approved for anything else', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await acceptedCluster(hub, 'c1')
    await availableCluster(hub, 'c2')
    const requests = await Promise.all(
      refused.map(async ([what, csr]) => ({ what, request: await askForCertificate(hub.asAgent('c1'), csr) })),
    )
    await hub.settle()
    for (const { what, request } of requests) {
      const { status } = await hub.client.get(CertificateSigningRequest, request.metadata)
      assert.deepEqual(status?.conditions ?? [], [], what)
    }
  })

  test('cannot be approved by the agent itself', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const agent = hub.asAgent('c1')
    const request = await askForCertificate(agent, { cluster: 'c1', agent: 'agent2' })
    await assert.rejects(approveRequest(agent, request, { reason: 'Me', message: '' }), isForbidden)
  })
})

suite('request of an agent', () => {
  test('of a denied cluster is not approved, until the cluster is accepted again', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: false } })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False'))
    const agent = hub.asAgent('c1')
    await assert.rejects(askForCertificate(agent, { cluster: 'c1' }), isForbidden)
    // One that was sent before the denial counts as well.
    const admin = hub.as('system:open-cluster-management:c1:agent1', 'system:masters')
    const { metadata } = await askForCertificate(admin, { cluster: 'c1' })
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: true } })
    await hub.when(CertificateSigningRequest, metadata, isApproved)
  })

  test('without permission to renew is not approved, whatever its name', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const stranger = hub.as('system:open-cluster-management:c1:agent2', BOOTSTRAP_GROUP)
    const { metadata } = await askForCertificate(stranger, { cluster: 'c1', agent: 'agent2' })
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
  })
})

suite('request with a bootstrap token', () => {
  test('waits for an administrator', async (t) => {
    const hub = await HubServer.start(t, { options: trusting.options })
    const bootstrapper = hub.asBootstrapper()
    await bootstrapper.create(ManagedCluster, { metadata: { name: 'c1' }, spec: {} })
    const { metadata } = await askForCertificate(bootstrapper, { cluster: 'c1' })
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
    const { spec } = await hub.client.get(ManagedCluster, { name: 'c1' })
    assert.notEqual(spec?.hubAcceptsClient, true)
  })

  test('is approved if the hub trusts the token', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const bootstrapper = hub.asBootstrapper()
    await bootstrapper.create(ManagedCluster, { metadata: { name: 'c1' }, spec: {} })
    const { metadata } = await askForCertificate(bootstrapper, { cluster: 'c1' })
    await hub.when(CertificateSigningRequest, metadata, issued)
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
  })

  test('waits for an administrator if another token is trusted', async (t) => {
    const hub = await HubServer.start(t, { ...trusting, options: { autoApprovedUsers: ['somebody-else'] } })
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
  })

  test('is not approved for an active cluster, but for an unreachable one', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const cluster = await availableCluster(hub, 'c1', joinedByToken)
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'agent2' })
    await hub.eventually('the event is there', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return items.some(({ reason }) => reason === 'ManagedClusterNameTaken')
    })
    await report(hub, cluster, Available, 'False')
    await hub.settle()
    assert.equal(isApproved(await hub.client.get(CertificateSigningRequest, metadata)), false)
    await report(hub, cluster, Available, 'Unknown')
    await hub.when(CertificateSigningRequest, metadata, isApproved)
  })

  test('cannot overload the hub by many requests for one cluster', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const bootstrapper = hub.asBootstrapper()
    await bootstrapper.create(ManagedCluster, { metadata: { name: 'c1' }, spec: {} })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    const { metadata, spec } = await askForCertificate(bootstrapper, { cluster: 'c1' })
    const labels = metadata.labels ?? {}
    const count = 40
    for (let index = 0; index < count; index++) {
      await bootstrapper.create(CertificateSigningRequest, { metadata: { name: `r${index}`, labels }, spec })
      await hub.settle()
    }
    assert.ok(looks(hub) < 5 * count, `the hub looked at ${count} requests ${looks(hub)} times`)
  })

  test('is approved for an active cluster if the hub allows it', async (t) => {
    const options = { ...trusting.options, approveTakenNames: true }
    const hub = await HubServer.start(t, { ...trusting, options })
    await availableCluster(hub, 'c1', joinedByToken)
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'agent2' })
    await hub.when(CertificateSigningRequest, metadata, isApproved)
  })
})

suite('automatic acceptance', () => {
  test("accepts a cluster once, and an administrator's decision stays", async (t) => {
    const hub = await HubServer.start(t, trusting)
    await createCluster(hub, 'c1')
    const accepted = await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    assert.match(accepted.metadata.annotations?.[AUTOMATICALLY_ACCEPTED_ANNOTATION] ?? '', /^2030-01-01T00:00:0\dZ$/)
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: false } })
    const denied = await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False'))
    await hub.settle()
    assert.equal(denied.spec?.hubAcceptsClient, false)
    assert.equal(conditionOf(await hub.client.get(ManagedCluster, { name: 'c1' }), HubAccepted)?.status, 'False')
  })

  test('does not accept a denied cluster again that removes its annotation', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await createCluster(hub, 'c1')
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    await hub.stopControllers()
    const annotations = { [AUTOMATICALLY_ACCEPTED_ANNOTATION]: null }
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { annotations } })
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: false } })
    await hub.startControllers()
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False'))
    await hub.settle()
    assert.equal((await hub.client.get(ManagedCluster, { name: 'c1' })).spec?.hubAcceptsClient, false)
  })

  test('leaves a cluster with the name of a foreign namespace to an administrator', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await hub.client.create(Namespace, { metadata: { name: 'team' } })
    await createCluster(hub, 'team')
    await hub.eventually('the event is there', async () => {
      const { items } = await hub.client.list(Event)
      return items.some(
        ({ reason, note = '' }) => reason === 'ManagedClusterNameTaken' && note.includes('accept cluster team'),
      )
    })
    await hub.settle()
    assert.equal((await hub.client.get(ManagedCluster, { name: 'team' })).spec?.hubAcceptsClient, undefined)
    const bindings = await hub.client.list(RoleBinding, { namespace: 'team' })
    assert.deepEqual(bindings.items, [])
    await hub.client.patch(ManagedCluster, { name: 'team' }, { spec: { hubAcceptsClient: true } })
    await hub.when(ManagedCluster, { name: 'team' }, says(HubAccepted, 'True'))
  })

  test('only marks a cluster that was accepted already', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await acceptedCluster(hub, 'c1')
    const { spec } = await hub.when(ManagedCluster, { name: 'c1' }, ({ metadata }) =>
      Boolean(metadata.annotations?.[AUTOMATICALLY_ACCEPTED_ANNOTATION]),
    )
    assert.equal(spec?.hubAcceptsClient, true)
  })
})
