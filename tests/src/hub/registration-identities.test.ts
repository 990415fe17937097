import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  BOOTSTRAP_GROUP,
  CREATED_BY_ANNOTATION,
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
  WORK_FINALIZER,
} from '@orrery/api'
import { BOOTSTRAP_TOKEN_USER } from '@orrery/hub'
import { CertificateSigningRequest, ClusterRole, ClusterRoleBinding, Event, RoleBinding } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { approveRequest, isApproved } from '@orrery/kube/csr'
import { askForCertificate } from './agent-csr.js'
import { acceptedCluster, availableCluster, createCluster, registerAgent, report, says } from './clusters.js'
import { HubServer } from './hub-server.js'

const { Available, HubAccepted } = ManagedClusterCondition
const OTHER_USER = 'system:bootstrap:other1'
const SECOND = 1_000
const trusting = {
  features: { ManagedClusterAutoApproval: true },
  options: { autoApprovedUsers: [BOOTSTRAP_TOKEN_USER, OTHER_USER] },
}
const asOther = (hub: HubServer) => hub.as(OTHER_USER, 'system:bootstrappers', BOOTSTRAP_GROUP)
const introduce = (client: KubeClient, name: string) => client.create(ManagedCluster, { metadata: { name }, spec: {} })
const manifest = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } }
const work = { metadata: { namespace: 'c1', name: 'w' }, spec: { workload: { manifests: [manifest] } } }

async function isApprovedOnHub(hub: HubServer, { metadata }: CertificateSigningRequest): Promise<boolean> {
  return isApproved(await hub.client.get(CertificateSigningRequest, metadata))
}

/** Waits until the hub has recorded why it does not approve a request. */
async function whenLeft(hub: HubServer, { metadata }: CertificateSigningRequest, why: RegExp): Promise<void> {
  await hub.eventually(`an event names ${metadata.name}`, async () => {
    const { items } = await hub.client.list(Event)
    return items.some(({ related, note = '' }) => related?.name === metadata.name && why.test(note))
  })
  assert.equal(await isApprovedOnHub(hub, { metadata } as CertificateSigningRequest), false)
}

/** Joins a cluster as its agent does: the certificate is approved, and the hub grants the agent its permissions. */
async function joinAs(hub: HubServer, client: KubeClient, cluster: string, agent: string): Promise<void> {
  await introduce(client, cluster)
  const { metadata } = await askForCertificate(client, { cluster, agent })
  await hub.when(CertificateSigningRequest, metadata, isApproved)
  await hub.when(ManagedCluster, { name: cluster }, says(HubAccepted, 'True'))
  await hub.eventually('the agent has its permissions', () => may(hub.asAgent(cluster, agent), cluster))
}

/** Whether a client may read the works and the ManagedCluster of a cluster. */
async function may(client: KubeClient, cluster: string): Promise<boolean> {
  try {
    await client.list(ManifestWork, { namespace: cluster })
    await client.get(ManagedCluster, { name: cluster })
    return true
  } catch (error) {
    if (isForbidden(error)) return false
    throw error
  }
}

async function detach(hub: HubServer, name: string): Promise<void> {
  await hub.client.delete(ManagedCluster, { name })
  await hub.whenGone(ManagedCluster, { name })
}

suite('requestApproval: does not auto-approve a first request if', () => {
  test('there is no ManagedCluster, even if one is created later', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const early = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'early' })
    await hub.settle()
    assert.equal(await isApprovedOnHub(hub, early), false)
    hub.clock.advance(11 * SECOND)
    await joinAs(hub, hub.asBootstrapper(), 'c1', 'late')
    await whenLeft(hub, early, /the request is older than cluster c1/)
    assert.equal(await may(hub.asAgent('c1', 'early'), 'c1'), false)
  })

  test('another user created the ManagedCluster', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await introduce(asOther(hub), 'c1')
    const foreign = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'foreign' })
    await whenLeft(hub, foreign, new RegExp(`cluster c1 was created by ${OTHER_USER}`))
    const own = await askForCertificate(asOther(hub), { cluster: 'c1', agent: 'own' })
    await hub.when(CertificateSigningRequest, own.metadata, isApproved)
    await hub.eventually('the agent has its permissions', () => may(hub.asAgent('c1', 'own'), 'c1'))
    assert.equal(await isApprovedOnHub(hub, foreign), false)
    assert.equal(await may(hub.asAgent('c1', 'foreign'), 'c1'), false)
  })

  test('several agents request with the same credentials, until one is left', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const [one, two] = await Promise.all(
      ['one', 'two'].map((agent) => askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent })),
    )
    assert.ok(one && two)
    await introduce(hub.asBootstrapper(), 'c1')
    await whenLeft(hub, one, /there are other pending requests for cluster c1/)
    await whenLeft(hub, two, /there are other pending requests for cluster c1/)
    await hub.client.delete(CertificateSigningRequest, two.metadata)
    await hub.when(CertificateSigningRequest, one.metadata, isApproved)
  })

  test('an agent was registered, whether it has joined or not', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await joinAs(hub, hub.asBootstrapper(), 'c1', 'first')
    const second = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'second' })
    await whenLeft(hub, second, /cluster c1 has another agent that is available/)
    const copy = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'first' })
    await hub.settle()
    assert.equal(await isApprovedOnHub(hub, copy), false)
  })

  test('nothing records who created the ManagedCluster', async (t) => {
    const hub = await HubServer.start(t, { ...trusting, admission: () => [] })
    await introduce(hub.asBootstrapper(), 'c1')
    const request = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    await whenLeft(hub, request, /the creator of cluster c1 is not recorded/)
  })

  test('an earlier agent had the name, whose certificates would be valid again', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await joinAs(hub, hub.asBootstrapper(), 'c1', 'agent')
    await detach(hub, 'c1')
    hub.clock.advance(SECOND)
    await introduce(asOther(hub), 'c1')
    const request = await askForCertificate(asOther(hub), { cluster: 'c1', agent: 'agent' })
    await whenLeft(hub, request, /an earlier agent of cluster c1 had the same name/)
    const renamed = await askForCertificate(asOther(hub), { cluster: 'c1', agent: 'another' })
    await hub.client.delete(CertificateSigningRequest, request.metadata)
    await hub.when(CertificateSigningRequest, renamed.metadata, isApproved)
    await hub.eventually('the agent has its permissions', () => may(hub.asAgent('c1', 'another'), 'c1'))
    assert.equal(await may(hub.asAgent('c1', 'agent'), 'c1'), false)
  })
})

suite('clusterAcceptance: a certificate is valid for one registration:', () => {
  test('one approved before the ManagedCluster was created gives no access', async (t) => {
    const hub = await HubServer.start(t)
    const early = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'early' })
    await approveRequest(hub.client, early, { reason: 'Tested', message: '' }, { clock: hub.clock })
    hub.clock.advance(SECOND)
    await acceptedCluster(hub, 'c1')
    assert.equal(await may(hub.asAgent('c1'), 'c1'), true)
    assert.equal(await may(hub.asAgent('c1', 'early'), 'c1'), false)
    await assert.rejects(askForCertificate(hub.asAgent('c1', 'early'), { cluster: 'c1', agent: 'early' }), isForbidden)
  })

  test('one of a detached cluster gives no access when another cluster takes the name', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await joinAs(hub, hub.asBootstrapper(), 'c1', 'old')
    await detach(hub, 'c1')
    assert.equal(await may(hub.asAgent('c1', 'old'), 'c1'), false)
    hub.clock.advance(SECOND)
    await joinAs(hub, asOther(hub), 'c1', 'new')
    assert.equal(await may(hub.asAgent('c1', 'old'), 'c1'), false)
    await assert.rejects(askForCertificate(hub.asAgent('c1', 'old'), { cluster: 'c1', agent: 'old' }), isForbidden)
  })

  test('nor when the cluster was force-deleted, and left its works and bindings behind', async (t) => {
    const hub = await HubServer.start(t, trusting)
    await joinAs(hub, hub.asBootstrapper(), 'c1', 'old')
    await hub.client.create(ManifestWork, { ...work, metadata: { ...work.metadata, finalizers: [WORK_FINALIZER] } })
    await hub.stopControllers()
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { finalizers: null } })
    hub.clock.advance(SECOND)
    await introduce(asOther(hub), 'c1')
    await hub.startControllers()
    const { metadata } = await askForCertificate(asOther(hub), { cluster: 'c1', agent: 'new' })
    await hub.when(CertificateSigningRequest, metadata, isApproved)
    await hub.eventually('the agent has its permissions', () => may(hub.asAgent('c1', 'new'), 'c1'))
    assert.equal(await may(hub.asAgent('c1', 'old'), 'c1'), false)
  })

  test('one that an administrator approves replaces the previous one', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    hub.clock.advance(SECOND)
    await registerAgent(hub, 'c1', 'agent2')
    assert.equal(await may(hub.asAgent('c1', 'agent2'), 'c1'), true)
    assert.equal(await may(hub.asAgent('c1'), 'c1'), false)
  })

  test('one that an unreachable cluster rejoins with replaces the previous one', async (t) => {
    const hub = await HubServer.start(t, trusting)
    const byToken = { annotations: { [CREATED_BY_ANNOTATION]: BOOTSTRAP_TOKEN_USER } }
    const cluster = await availableCluster(hub, 'c1', byToken)
    await report(hub, cluster, Available, 'Unknown')
    hub.clock.advance(SECOND)
    const { metadata } = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1', agent: 'agent2' })
    await hub.when(CertificateSigningRequest, metadata, isApproved)
    await hub.eventually('it has its permissions', () => may(hub.asAgent('c1', 'agent2'), 'c1'))
    assert.equal(await may(hub.asAgent('c1'), 'c1'), false)
  })

  test('it stays valid while it is renewed, even after its request is deleted', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const { items } = await hub.client.list(CertificateSigningRequest)
    for (const { metadata } of items) await hub.client.delete(CertificateSigningRequest, metadata)
    await hub.stopControllers()
    await hub.startControllers()
    const { metadata } = await askForCertificate(hub.asAgent('c1'), { cluster: 'c1' })
    await hub.when(CertificateSigningRequest, metadata, isApproved)
    await hub.settle()
    assert.equal(await may(hub.asAgent('c1'), 'c1'), true)
  })

  test('it is valid once the cluster is accepted, however long after its approval', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    const request = await askForCertificate(hub.asBootstrapper(), { cluster: 'c1' })
    await approveRequest(hub.client, request, { reason: 'Tested', message: '' }, { clock: hub.clock })
    const role = await hub.when(ClusterRole, { name: 'open-cluster-management:managedcluster:c1' })
    assert.deepEqual(role.rules ?? [], [])
    await hub.when(ClusterRoleBinding, { name: role.metadata.name })
    const cluster = await hub.client.get(ManagedCluster, { name: 'c1' })
    assert.equal(cluster.status?.conditions?.some(({ type }) => type === HubAccepted) ?? false, false)
    await hub.client.delete(CertificateSigningRequest, request.metadata)
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient: true } })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    assert.equal(await may(hub.asAgent('c1'), 'c1'), true)
  })
})

test('clusterAcceptance: a cluster that joined before agents were recorded keeps its group until it requests again', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'c1')
  await hub.stopControllers()
  const subjects = [
    { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'system:open-cluster-management:c1' },
    { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'open-cluster-management:c1' },
  ]
  const asBefore = { metadata: { annotations: null }, subjects }
  const name = 'open-cluster-management:managedcluster:c1'
  await hub.client.patch(ClusterRoleBinding, { name }, asBefore)
  for (const part of ['registration', 'work']) {
    await hub.client.patch(RoleBinding, { namespace: 'c1', name: `${name}:${part}` }, asBefore)
  }
  const { items } = await hub.client.list(CertificateSigningRequest)
  for (const { metadata } of items) await hub.client.delete(CertificateSigningRequest, metadata)
  await hub.startControllers()
  const binding = await hub.when(ClusterRoleBinding, { name }, ({ metadata }) => metadata.annotations !== undefined)
  assert.deepEqual(binding.subjects, subjects)
  assert.equal(await may(hub.asAgent('c1'), 'c1'), true)
  hub.clock.advance(SECOND)
  await registerAgent(hub, 'c1', 'agent2')
  assert.equal(await may(hub.asAgent('c1', 'agent2'), 'c1'), true)
  assert.equal(await may(hub.asAgent('c1'), 'c1'), false)
})
