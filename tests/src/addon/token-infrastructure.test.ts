import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { type Kind, Namespace, Role, RoleBinding, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import { isForbidden, type KubeClient, writeStatus } from '@orrery/kube'
import { acceptedCluster, registerAgent } from '../hub/clusters.js'
import { HubServer } from '../hub/hub-server.js'
import { conditionOf, FEATURES, onCluster, reports } from './addons.js'

/** The subresource `serviceaccounts/token`. */
const Tokens: Kind<TokenRequest> = {
  group: '',
  version: 'v1',
  kind: 'TokenRequest',
  plural: ServiceAccount.plural,
  scope: 'Namespaced',
}

const ACCOUNT = { namespace: 'c1', name: 'helloworld-agent' }
const ROLE = { namespace: 'c1', name: 'helloworld-token-role' }
const LABELS = {
  'addon.open-cluster-management.io/name': 'helloworld',
  'addon.open-cluster-management.io/token-infrastructure': 'true',
}

function requestToken(client: KubeClient): Promise<TokenRequest> {
  const request = { apiVersion: 'authentication.k8s.io/v1', metadata: ACCOUNT, spec: { audiences: [] } }
  return client.create(Tokens, request, { subresource: 'token' })
}

/** Sets the driver of the add-on's registration, as the agent of the cluster does. */
async function useDriver(hub: HubServer, driver: 'csr' | 'token', cluster = 'c1'): Promise<void> {
  const addOn = await hub.client.get(ManagedClusterAddOn, onCluster(cluster))
  const registrations = [{ type: 'kubeClient', kubeClient: { driver } }] as const
  await writeStatus(hub.client, ManagedClusterAddOn, addOn, ({ status }) => ({ ...status, registrations }))
}

test('tokenInfrastructure: an agent with a token has a service account, and without it not', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES, options: { labels: { team: 'hub' } } })
  await acceptedCluster(hub, 'c1')
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  await useDriver(hub, 'csr')
  await hub.settle()
  assert.equal(await hub.client.find(ServiceAccount, ACCOUNT), undefined)
  await useDriver(hub, 'token')
  const ready = reports('TokenInfrastructureReady', 'True', 'TokenInfrastructureReady')
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('c1'), ready)
  const account = await hub.client.get(ServiceAccount, ACCOUNT)
  const message = `ServiceAccount c1/helloworld-agent (UID: ${account.metadata.uid}) is ready`
  assert.equal(conditionOf(addOn, 'TokenInfrastructureReady')?.message, message)
  const role = await hub.client.get(Role, ROLE)
  const binding = await hub.client.get(RoleBinding, ROLE)
  for (const { metadata } of [account, role, binding]) assert.deepEqual(metadata.labels, { ...LABELS, team: 'hub' })
  assert.deepEqual(role.rules, [
    { apiGroups: [''], resources: ['serviceaccounts/token'], resourceNames: ['helloworld-agent'], verbs: ['create'] },
    { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['subscribe'] },
  ])
  assert.deepEqual(
    binding.subjects?.map(({ kind, name }) => `${kind} ${name}`),
    ['User system:open-cluster-management:c1:agent1', 'Group open-cluster-management:c1'],
  )
  assert.equal(binding.roleRef.name, ROLE.name)
  const { status } = await requestToken(hub.asAgent('c1'))
  assert.match(status?.token ?? '', /^ey/)
  await assert.rejects(requestToken(hub.asAgent('c2')), isForbidden)
  // A deleted account is created again, and the condition has its new UID.
  await hub.client.delete(ServiceAccount, ACCOUNT)
  await hub.when(ServiceAccount, ACCOUNT, ({ metadata }) => metadata.uid !== account.metadata.uid)
  await hub.when(ManagedClusterAddOn, onCluster('c1'), (current) => {
    return ready(current) && conditionOf(current, 'TokenInfrastructureReady')?.message !== message
  })
  await useDriver(hub, 'csr')
  await hub.whenGone(ServiceAccount, ACCOUNT)
  await hub.whenGone(RoleBinding, ROLE)
  await hub.when(ManagedClusterAddOn, onCluster('c1'), (current) => {
    return conditionOf(current, 'TokenInfrastructureReady') === undefined
  })
})

test('tokenInfrastructure: is deleted with the add-on, also after a restart, and spares the accounts of others', async (t) => {
  const hub = await HubServer.start(t, { features: FEATURES })
  await acceptedCluster(hub, 'c1')
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  await useDriver(hub, 'token')
  await hub.when(RoleBinding, ROLE)
  await hub.client.create(ServiceAccount, { metadata: { namespace: 'c1', name: 'other-agent' } })
  await hub.stopControllers()
  await hub.client.delete(ManagedClusterAddOn, onCluster('c1'))
  await hub.startControllers()
  await hub.whenGone(ServiceAccount, ACCOUNT)
  await hub.whenGone(Role, ROLE)
  await hub.whenGone(RoleBinding, ROLE)
  await hub.client.get(ServiceAccount, { namespace: 'c1', name: 'other-agent' })
})

const READY = reports('TokenInfrastructureReady', 'True', 'TokenInfrastructureReady')
const FAILED = reports('TokenInfrastructureReady', 'False', 'TokenInfrastructureApplyFailed')

/** A hub with a cluster and an add-on that is not registered yet. */
async function startWithAddOn(t: Parameters<typeof HubServer.start>[0]): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  await acceptedCluster(hub, 'c1')
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('c1'), spec: {} })
  return hub
}

test('tokenInfrastructure: uses no service account, role or binding of another owner, and does not delete them', async (t) => {
  const hub = await startWithAddOn(t)
  const roleRef = { apiGroup: Role.group, kind: 'Role', name: 'other' }
  const foreign = [
    { kind: ServiceAccount, ref: ACCOUNT, more: {} },
    { kind: Role, ref: ROLE, more: { rules: [] } },
    { kind: RoleBinding, ref: ROLE, more: { roleRef, subjects: [] } },
  ] as const
  for (const { kind, ref, more } of foreign) {
    const { metadata } = await hub.client.create(kind as Kind<ServiceAccount>, { metadata: ref, ...more })
    await useDriver(hub, 'token')
    const addOn = await hub.when(ManagedClusterAddOn, onCluster('c1'), FAILED)
    const problem = `${kind.kind} c1/${ref.name} exists and is not of this add-on: delete or rename it`
    const message = `Failed to apply token infrastructure: ${problem}`
    assert.equal(conditionOf(addOn, 'TokenInfrastructureReady')?.message, message)
    await hub.settle()
    await assert.rejects(requestToken(hub.asAgent('c1')), isForbidden)
    await useDriver(hub, 'csr')
    await hub.when(ManagedClusterAddOn, onCluster('c1'), (current) => {
      return conditionOf(current, 'TokenInfrastructureReady') === undefined
    })
    const kept = await hub.client.get(kind as Kind<ServiceAccount>, ref)
    assert.equal(kept.metadata.resourceVersion, metadata.resourceVersion)
    await hub.client.delete(kind as Kind<ServiceAccount>, ref)
  }
  await useDriver(hub, 'token')
  await hub.when(ManagedClusterAddOn, onCluster('c1'), READY)
})

test('tokenInfrastructure: the agent of an earlier registration gets no token', async (t) => {
  const hub = await startWithAddOn(t)
  await useDriver(hub, 'token')
  await hub.when(ManagedClusterAddOn, onCluster('c1'), READY)
  await requestToken(hub.asAgent('c1'))
  hub.clock.advance(60_000)
  await registerAgent(hub, 'c1', 'agent2')
  await hub.when(RoleBinding, ROLE, ({ subjects = [] }) => subjects.some(({ name }) => name.endsWith(':agent2')))
  await requestToken(hub.asAgent('c1', 'agent2'))
  await assert.rejects(requestToken(hub.asAgent('c1')), isForbidden)
})

test('tokenInfrastructure: a denied cluster has no service account until it is accepted again', async (t) => {
  const hub = await startWithAddOn(t)
  await useDriver(hub, 'token')
  await hub.when(ManagedClusterAddOn, onCluster('c1'), READY)
  const { metadata } = await hub.client.get(ServiceAccount, ACCOUNT)
  const accept = (hubAcceptsClient: boolean) =>
    hub.client.patch(ManagedCluster, { name: 'c1' }, { spec: { hubAcceptsClient } })
  await accept(false)
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('c1'), FAILED)
  const message = 'Failed to apply token infrastructure: the hub has accepted no cluster c1'
  assert.equal(conditionOf(addOn, 'TokenInfrastructureReady')?.message, message)
  await hub.settle()
  assert.equal(await hub.client.find(RoleBinding, ROLE), undefined)
  assert.equal(await hub.client.find(ServiceAccount, ACCOUNT), undefined)
  await accept(true)
  await hub.when(ManagedClusterAddOn, onCluster('c1'), READY)
  const account = await hub.client.get(ServiceAccount, ACCOUNT)
  assert.notEqual(account.metadata.uid, metadata.uid)
  await hub.eventually('the agent may request tokens', async () => {
    const { subjects = [] } = await hub.client.get(RoleBinding, ROLE)
    return subjects.some(({ name }) => name.endsWith(':agent1'))
  })
  await requestToken(hub.asAgent('c1'))
})

test('tokenInfrastructure: an add-on in a namespace that is no cluster has no service account', async (t) => {
  const hub = await startWithAddOn(t)
  await hub.client.create(Namespace, { metadata: { name: 'tenant' } })
  await hub.client.create(ManagedClusterAddOn, { metadata: onCluster('tenant'), spec: {} })
  await useDriver(hub, 'token', 'tenant')
  const addOn = await hub.when(ManagedClusterAddOn, onCluster('tenant'), FAILED)
  const message = 'Failed to apply token infrastructure: the hub has accepted no cluster tenant'
  assert.equal(conditionOf(addOn, 'TokenInfrastructureReady')?.message, message)
  await hub.settle()
  assert.equal(await hub.client.find(ServiceAccount, { ...ACCOUNT, namespace: 'tenant' }), undefined)
})
