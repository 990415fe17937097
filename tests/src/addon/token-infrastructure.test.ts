import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '@orrery/api'
import { type Kind, Role, RoleBinding, ServiceAccount, type TokenRequest } from '@orrery/kinds'
import { isForbidden, type KubeClient, writeStatus } from '@orrery/kube'
import { acceptedCluster } from '../hub/clusters.js'
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

/** Sets the driver of the add-on's registration, as the agent of the cluster does. */
async function useDriver(hub: HubServer, driver: 'csr' | 'token'): Promise<void> {
  const addOn = await hub.client.get(ManagedClusterAddOn, onCluster('c1'))
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
    ['Group system:open-cluster-management:c1', 'Group open-cluster-management:c1'],
  )
  assert.equal(binding.roleRef.name, ROLE.name)
  const request = { apiVersion: 'authentication.k8s.io/v1', metadata: ACCOUNT, spec: { audiences: [] } }
  const create = (client: KubeClient) => client.create(Tokens, request, { subresource: 'token' })
  const { status } = await create(hub.asAgent('c1'))
  assert.match(status?.token ?? '', /^ey/)
  await assert.rejects(create(hub.asAgent('c2')), isForbidden)
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
