import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  CLUSTER_FINALIZER,
  CLUSTER_NAME_LABEL,
  ManagedCluster,
  ManagedClusterCondition,
  ManifestWork,
  WORK_FINALIZER,
} from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, Lease, Namespace, RoleBinding } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { acceptedCluster, conditionOf, createCluster, leaseOf, says } from './clusters.js'
import { HubServer } from './hub-server.js'

const { HubAccepted } = ManagedClusterCondition
const work = (namespace: string, name = 'work', finalizers: string[] = []) => ({
  metadata: { namespace, name, finalizers },
  spec: {
    workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a' } }] },
  },
})
const roleName = (cluster: string) => `open-cluster-management:managedcluster:${cluster}`
const bindingOf = (cluster: string, part: 'registration' | 'work') => ({
  namespace: cluster,
  name: `${roleName(cluster)}:${part}`,
})
const apiGroup = 'rbac.authorization.k8s.io'
const agentGroups = (cluster: string) =>
  [`system:open-cluster-management:${cluster}`, `open-cluster-management:${cluster}`].map((name) => ({
    kind: 'Group',
    apiGroup,
    name,
  }))
/** The subjects of a cluster's bindings: its one agent, and agents without certificates. */
const agentSubjects = (cluster: string, agent = 'agent1') => [
  { kind: 'User', apiGroup, name: `system:open-cluster-management:${cluster}:${agent}` },
  { kind: 'Group', apiGroup, name: `open-cluster-management:${cluster}` },
]
const accept = (client: KubeClient, name: string, hubAcceptsClient: boolean) =>
  client.patch(ManagedCluster, { name }, { spec: { hubAcceptsClient } })

suite('clusterAcceptance', () => {
  test('a cluster whose namespace is deleted can release its works, and gets everything again', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const { metadata: old } = await hub.client.get(Namespace, { name: 'c1' })
    await hub.client.create(ManifestWork, work('c1', 'held', [WORK_FINALIZER]))
    await hub.client.delete(Namespace, { name: 'c1' })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False', 'Error'))
    await hub.settle()
    const ref = { namespace: 'c1', name: 'held' }
    await hub.asAgent('c1').patch(ManifestWork, ref, { metadata: { finalizers: null } })
    await hub.when(Namespace, { name: 'c1' }, ({ metadata }) => metadata.uid !== old.uid)
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    await hub.when(Lease, leaseOf('c1'))
    assert.deepEqual((await hub.asAgent('c1').list(ManifestWork, { namespace: 'c1' })).items, [])
  })

  test('a cluster that is not accepted has nothing on the hub', async (t) => {
    const hub = await HubServer.start(t)
    await createCluster(hub, 'c1')
    await hub.settle()
    assert.equal(await hub.client.find(Namespace, { name: 'c1' }), undefined)
    assert.equal(await hub.client.find(ClusterRole, { name: roleName('c1') }), undefined)
    const cluster = await hub.client.get(ManagedCluster, { name: 'c1' })
    assert.equal(conditionOf(cluster, HubAccepted), undefined)
    assert.equal(cluster.metadata.finalizers?.includes(CLUSTER_FINALIZER) ?? false, false)
  })

  test('an accepted cluster gets its namespace and permissions', async (t) => {
    const hub = await HubServer.start(t)
    const cluster = await acceptedCluster(hub, 'c1')
    const condition = conditionOf(cluster, HubAccepted)
    assert.equal(condition?.reason, 'HubClusterAdminAccepted')
    assert.equal(condition?.message, 'Accepted by hub cluster admin')
    assert.ok(cluster.metadata.finalizers?.includes(CLUSTER_FINALIZER))

    const namespace = await hub.client.get(Namespace, { name: 'c1' })
    assert.equal(namespace.metadata.labels?.[CLUSTER_NAME_LABEL], 'c1')

    const role = await hub.client.get(ClusterRole, { name: roleName('c1') })
    assert.deepEqual(role.metadata.labels, { [CLUSTER_NAME_LABEL]: 'c1' })
    assert.deepEqual(role.rules, [
      {
        verbs: ['create', 'get', 'list', 'watch'],
        apiGroups: ['certificates.k8s.io'],
        resources: ['certificatesigningrequests'],
      },
      {
        verbs: ['renew'],
        apiGroups: ['register.open-cluster-management.io'],
        resources: ['managedclusters/clientcertificates'],
      },
      {
        verbs: ['get', 'list', 'update', 'watch'],
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusters'],
        resourceNames: ['c1'],
      },
      {
        verbs: ['patch', 'update'],
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusters/status'],
        resourceNames: ['c1'],
      },
    ])
    const binding = await hub.client.get(ClusterRoleBinding, { name: roleName('c1') })
    assert.deepEqual(binding.metadata.labels, { [CLUSTER_NAME_LABEL]: 'c1' })
    assert.deepEqual(binding.roleRef, {
      apiGroup: 'rbac.authorization.k8s.io',
      kind: 'ClusterRole',
      name: roleName('c1'),
    })
    assert.deepEqual(binding.subjects, agentSubjects('c1'))

    for (const part of ['registration', 'work'] as const) {
      const { metadata, roleRef, subjects } = await hub.client.get(RoleBinding, bindingOf('c1', part))
      assert.deepEqual(metadata.labels, { [CLUSTER_NAME_LABEL]: 'c1' })
      assert.deepEqual(metadata.finalizers, part === 'work' ? [WORK_FINALIZER] : undefined)
      assert.deepEqual(roleRef, {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'ClusterRole',
        name: `open-cluster-management:managedcluster:${part}`,
      })
      assert.deepEqual(subjects, agentSubjects('c1'))
    }
  })

  test('removed permissions are restored at once', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await hub.client.delete(ClusterRoleBinding, { name: roleName('c1') })
    await hub.client.patch(ClusterRole, { name: roleName('c1') }, { rules: [] })
    await hub.client.delete(RoleBinding, bindingOf('c1', 'work'))
    await hub.when(ClusterRoleBinding, { name: roleName('c1') })
    await hub.when(ClusterRole, { name: roleName('c1') }, ({ rules }) => rules?.length === 4)
    await hub.when(RoleBinding, bindingOf('c1', 'work'), ({ metadata }) => metadata.deletionTimestamp === undefined)
  })

  test('a binding to another role is replaced', async (t) => {
    const hub = await HubServer.start(t)
    await hub.client.create(Namespace, { metadata: { name: 'c1' } })
    await hub.client.create(RoleBinding, {
      metadata: { ...bindingOf('c1', 'work'), labels: { [CLUSTER_NAME_LABEL]: 'c1' } },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: agentGroups('c1'),
    })
    await acceptedCluster(hub, 'c1')
    const { roleRef } = await hub.client.get(RoleBinding, bindingOf('c1', 'work'))
    assert.equal(roleRef.name, 'open-cluster-management:managedcluster:work')
  })

  test('reports why a cluster cannot get its permissions, and grants them when it can', async (t) => {
    const hub = await HubServer.start(t)
    await hub.client.create(Namespace, { metadata: { name: 'c1', finalizers: ['example.com/hold'] } })
    await hub.client.delete(Namespace, { name: 'c1' })
    await createCluster(hub, 'c1', { spec: { hubAcceptsClient: true } })
    const refused = await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False', 'Error'))
    assert.match(conditionOf(refused, HubAccepted)?.message ?? '', /being terminated/)
    await hub.client.patch(Namespace, { name: 'c1' }, { metadata: { finalizers: null } })
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True', 'HubClusterAdminAccepted'))
  })

  test('does not accept a cluster whose name would grant permissions of others', async (t) => {
    const hub = await HubServer.start(t)
    const names = ['work', 'registration', 'managed-clusters', 'kube-system', 'open-cluster-management-hub', 'a.b']
    await acceptedCluster(hub, 'c1')
    await hub.settle()
    const roles = async () => {
      const { items } = await hub.client.list(ClusterRole)
      return items.map(({ metadata: { name, uid, resourceVersion } }) => ({ name, uid, resourceVersion }))
    }
    const before = await roles()
    for (const name of names) await createCluster(hub, name, { spec: { hubAcceptsClient: true } })
    for (const name of names) {
      const refused = await hub.when(ManagedCluster, { name }, says(HubAccepted, 'False', 'Error'))
      assert.match(conditionOf(refused, HubAccepted)?.message ?? '', /^the name .* is not allowed/)
    }
    assert.deepEqual(await roles(), before)
    for (const name of names) {
      await accept(hub.client, name, false)
      await hub.when(ManagedCluster, { name }, says(HubAccepted, 'False', 'HubClusterAdminDenied'))
      await hub.client.delete(ManagedCluster, { name })
      await hub.whenGone(ManagedCluster, { name })
    }
    await hub.settle()
    assert.deepEqual(await roles(), before)
  })

  test('revokes access at once when a cluster is denied, with or without works', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    const agent = hub.asAgent('c1')
    await hub.client.create(ManifestWork, work('c1', 'held', [WORK_FINALIZER]))
    assert.equal((await agent.list(ManifestWork, { namespace: 'c1' })).items.length, 1)

    await accept(hub.client, 'c1', false)
    const denied = await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False', 'HubClusterAdminDenied'))
    assert.equal(conditionOf(denied, HubAccepted)?.message, 'Denied by hub cluster admin')
    assert.equal(await hub.client.find(RoleBinding, bindingOf('c1', 'registration')), undefined)
    assert.equal(await hub.client.find(RoleBinding, bindingOf('c1', 'work')), undefined)
    await assert.rejects(agent.list(ManifestWork, { namespace: 'c1' }), isForbidden)
    await assert.rejects(agent.patch(ManagedCluster, { name: 'c1' }, {}, { subresource: 'status' }), isForbidden)
    assert.deepEqual((await hub.client.get(ClusterRole, { name: roleName('c1') })).rules, [
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusters'],
        resourceNames: ['c1'],
      },
    ])
    assert.equal((await agent.get(ManagedCluster, { name: 'c1' })).metadata.name, 'c1')
    assert.ok(await hub.client.get(Namespace, { name: 'c1' }))

    await accept(hub.client, 'c1', true)
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'True'))
    assert.equal((await agent.list(ManifestWork, { namespace: 'c1' })).items.length, 1)
  })

  test('revokes access when a cluster was denied while the controllers were down', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await hub.stopControllers()
    await accept(hub.client, 'c1', false)
    await hub.startControllers()
    await hub.when(ManagedCluster, { name: 'c1' }, says(HubAccepted, 'False', 'HubClusterAdminDenied'))
    await assert.rejects(hub.asAgent('c1').list(ManifestWork, { namespace: 'c1' }), isForbidden)
  })

  test('a detached cluster keeps access to its works until none is left', async (t) => {
    const hub = await HubServer.start(t, { features: { ResourceCleanup: false } })
    await acceptedCluster(hub, 'c1')
    await hub.client.create(ManifestWork, work('c1', 'held', [WORK_FINALIZER]))
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    await hub.whenGone(ClusterRole, { name: roleName('c1') })
    await hub.whenGone(ClusterRoleBinding, { name: roleName('c1') })
    await hub.whenGone(RoleBinding, bindingOf('c1', 'registration'))
    const binding = await hub.when(RoleBinding, bindingOf('c1', 'work'), ({ metadata }) =>
      Boolean(metadata.deletionTimestamp),
    )
    assert.deepEqual(binding.metadata.finalizers, [WORK_FINALIZER])
    const agent = hub.asAgent('c1')
    await hub.client.delete(ManifestWork, { namespace: 'c1', name: 'held' })
    await agent.patch(ManifestWork, { namespace: 'c1', name: 'held' }, { metadata: { finalizers: null } })
    await hub.whenGone(RoleBinding, bindingOf('c1', 'work'))
    await hub.whenGone(ManagedCluster, { name: 'c1' })
    assert.ok(await hub.client.get(Namespace, { name: 'c1' }), 'the namespace stays')
  })

  test('a deleted cluster leaves no permissions behind, even if no controller ran', async (t) => {
    const hub = await HubServer.start(t)
    await acceptedCluster(hub, 'c1')
    await hub.stopControllers()
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    await hub.client.patch(ManagedCluster, { name: 'c1' }, { metadata: { finalizers: null } })
    await hub.startControllers()
    await hub.whenGone(ClusterRole, { name: roleName('c1') })
    await hub.whenGone(RoleBinding, bindingOf('c1', 'work'))
    await hub.whenGone(RoleBinding, bindingOf('c1', 'registration'))
  })
})

suite('shared roles of agents', () => {
  const shared = ['registration', 'work'].map((part) => ({ name: `open-cluster-management:managedcluster:${part}` }))

  test('exist while there is a cluster', async (t) => {
    const hub = await HubServer.start(t)
    for (const ref of shared) assert.equal(await hub.client.find(ClusterRole, ref), undefined)
    await createCluster(hub, 'c1')
    for (const ref of shared) await hub.when(ClusterRole, ref)
    const [registration, works] = await Promise.all(shared.map((ref) => hub.client.get(ClusterRole, ref)))
    assert.deepEqual(registration?.metadata.labels, { [CLUSTER_NAME_LABEL]: '' })
    assert.deepEqual(registration?.rules, [
      { verbs: ['get', 'list', 'watch', 'update'], apiGroups: ['coordination.k8s.io'], resources: ['leases'] },
      {
        verbs: ['get', 'list', 'watch'],
        apiGroups: ['addon.open-cluster-management.io'],
        resources: ['managedclusteraddons'],
      },
      {
        verbs: ['patch', 'update'],
        apiGroups: ['addon.open-cluster-management.io'],
        resources: ['managedclusteraddons/status'],
      },
      { verbs: ['create'], apiGroups: ['events.k8s.io'], resources: ['events'] },
      {
        verbs: ['get', 'list', 'watch', 'create', 'patch'],
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusterscores'],
      },
      {
        verbs: ['patch', 'update'],
        apiGroups: ['cluster.open-cluster-management.io'],
        resources: ['managedclusterscores/status'],
      },
    ])
    assert.deepEqual(works?.rules, [
      { verbs: ['create', 'patch', 'update'], apiGroups: ['', 'events.k8s.io'], resources: ['events'] },
      {
        verbs: ['get', 'list', 'watch', 'update', 'patch'],
        apiGroups: ['work.open-cluster-management.io'],
        resources: ['manifestworks'],
      },
      {
        verbs: ['patch', 'update'],
        apiGroups: ['work.open-cluster-management.io'],
        resources: ['manifestworks/status'],
      },
      { verbs: ['get', 'list', 'watch'], apiGroups: ['work.orrery.dev'], resources: ['manifestworkdryruns'] },
      { verbs: ['patch', 'update'], apiGroups: ['work.orrery.dev'], resources: ['manifestworkdryruns/status'] },
    ])
    await hub.client.delete(ClusterRole, shared[0] as { name: string })
    await hub.when(ClusterRole, shared[0] as { name: string })
    await hub.client.delete(ManagedCluster, { name: 'c1' })
    for (const ref of shared) await hub.whenGone(ClusterRole, ref)
  })
})

test('hub restart: writes nothing', async (t) => {
  const hub = await HubServer.start(t)
  await acceptedCluster(hub, 'c1')
  await createCluster(hub, 'c2')
  await hub.settle()
  const before = (await hub.client.list(Namespace)).resourceVersion
  await hub.stopControllers()
  await hub.startControllers()
  await hub.settle()
  assert.equal((await hub.client.list(Namespace)).resourceVersion, before)
})
