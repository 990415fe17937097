import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ClusterClaim, ClusterProperty, ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { Event, Namespace, Node } from '@orrery/kinds'
import { writeConditions, writeStatus } from '@orrery/kube'
import { ConnectionError } from '@orrery/kube/transport'
import { conditionOf, says } from '../hub/clusters.js'
import { isAvailable, join, trusting } from './joining.js'
import { Spoke, startWorld } from './spoke.js'

const { Available, CertificateRotated, ClockSynced, Joined } = ManagedClusterCondition
const c1 = { name: 'c1' }

suite('cluster status', () => {
  test('has the resources of the nodes, and follows them', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await spoke.addNode('n1', { cpu: '4', memory: '8Gi', 'example.com/gpu': '1' })
    await spoke.addNode('n2', { cpu: '1500m', memory: '8Gi' }, true)
    await join(hub, spoke, link, 'c1')
    const { status } = await hub.when(ManagedCluster, c1, (cluster) => cluster.status?.capacity !== undefined)
    assert.deepEqual(status?.capacity, { cpu: '5500m', 'example.com/gpu': '1', memory: '16Gi' })
    assert.deepEqual(status?.allocatable, { cpu: '4', 'example.com/gpu': '1', memory: '8Gi' })
    const cluster = await hub.client.get(ManagedCluster, c1)
    const foreign = { ...cluster.status?.capacity, 'example.com/foreign': '7' }
    await writeStatus(hub.client, ManagedCluster, cluster, (current) => ({ ...current.status, capacity: foreign }))
    await spoke.client.delete(Node, { name: 'n2' })
    await hub.when(ManagedCluster, c1, (current) => current.status?.capacity?.cpu === '4')
    assert.equal((await hub.client.get(ManagedCluster, c1)).status?.capacity?.['example.com/foreign'], '7')
  })

  test('has all reserved claims, twenty others, and no private ones', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    const claim = (name: string, value: string, labels = {}) =>
      spoke.client.create(ClusterClaim, { metadata: { name, labels }, spec: { value } })
    await claim('id.k8s.io', 'me')
    await claim('zone.reserved', 'z')
    await claim('private', 'p', { 'open-cluster-management.io/spoke-only': '' })
    for (let index = 10; index < 32; index++) await claim(`custom-${index}`, String(index))
    await spoke.client.create(ClusterProperty, { metadata: { name: 'custom-10' }, spec: { value: 'property' } })
    const features = { ClusterProperty: true }
    await join(hub, spoke, link, 'c1', { features, reservedClaimSuffixes: ['.reserved'] })
    const reported = async () => (await hub.client.get(ManagedCluster, c1)).status?.clusterClaims ?? []
    await hub.eventually('there are claims', async () => (await reported()).length > 0)
    const claims = await reported()
    assert.deepEqual(claims.slice(0, 3), [
      { name: 'id.k8s.io', value: 'me' },
      { name: 'zone.reserved', value: 'z' },
      { name: 'custom-10', value: 'property' },
    ])
    assert.equal(claims.length, 22)
    assert.equal(claims.at(-1)?.name, 'custom-29')
    await hub.eventually('there is an event', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return items.some(({ reason }) => reason === 'CustomClusterClaimsTruncated')
    })
    await spoke.client.patch(ClusterClaim, { name: 'id.k8s.io' }, { spec: { value: 'another' } })
    await hub.eventually('the claim has changed', async () => (await reported())[0]?.value === 'another')
  })

  test('has no claims on a cluster without the CRD', async (t) => {
    const { hub, link } = await startWorld(t, trusting)
    const spoke = await Spoke.startEmpty(t, hub.clock)
    await spoke.addNode('n1', { cpu: '4' })
    await join(hub, spoke, link, 'c1')
    await hub.when(ManagedCluster, c1, (cluster) => cluster.status?.capacity?.cpu === '4')
  })

  test('is written only when something changed', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    const patches = () => link.seen.filter(({ method }) => method === 'PATCH').length
    const whole = [Joined, Available, ClockSynced, CertificateRotated]
    await hub.when(ManagedCluster, c1, (cluster) => whole.every((type) => conditionOf(cluster, type) !== undefined))
    // Pending reports about joining come first: settling only waits for the hub.
    let before: number
    do {
      before = patches()
      await hub.settle()
    } while (patches() !== before)
    await spoke.client.create(Node, { metadata: { name: 'empty' } })
    for (let minute = 0; minute < 3; minute++) {
      hub.clock.advance(60_000)
      await hub.settle()
    }
    assert.equal(patches(), before)
  })

  test('reports an unavailable API server after 20 seconds, not before', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1', { healthCheckPeriod: 60_000 })
    spoke.faults.set('/livez', async () => {
      throw new ConnectionError('connection refused', { code: 'ECONNREFUSED', sent: false })
    })
    hub.clock.advance(60_000)
    for (let second = 0; second < 15; second += 5) {
      await hub.settle()
      hub.clock.advance(5_000)
    }
    assert.ok(isAvailable(await hub.client.get(ManagedCluster, c1)))
    await hub.settle()
    hub.clock.advance(5_000)
    const cluster = await hub.when(
      ManagedCluster,
      c1,
      says(Available, 'False', 'ManagedClusterKubeAPIServerUnavailable'),
    )
    assert.match(conditionOf(cluster, Available)?.message ?? '', /^The kube-apiserver is not ok, status code: 0, /)
    spoke.faults.clear()
    hub.clock.advance(60_000)
    await hub.when(ManagedCluster, c1, isAvailable)
    await hub.eventually('there are events', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return ['Available', 'Unavailable'].every((reason) => items.some((event) => event.reason === reason))
    })
  })

  test('is not written while the hub reports the clock as out of sync', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    await hub.stopControllers()
    const cluster = await hub.client.get(ManagedCluster, c1)
    const off = { type: ClockSynced, status: 'False', reason: 'ManagedClusterClockOutOfSync' } as const
    await writeConditions(hub.client, ManagedCluster, cluster, [off], { clock: hub.clock })
    await hub.eventually('the agent reports it', async () => spoke.log.some((line) => line.includes('clock')))
    await spoke.addNode('n1', { cpu: '4' })
    for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
    const after = await hub.client.get(ManagedCluster, c1)
    assert.equal(after.status?.capacity?.cpu, undefined)
    await writeConditions(hub.client, ManagedCluster, after, [{ ...off, status: 'True' }], { clock: hub.clock })
    await hub.when(ManagedCluster, c1, (current) => current.status?.capacity?.cpu === '4')
  })

  test('has the namespaces that its cluster sets require', async (t) => {
    const { hub, spoke, link } = await startWorld(t, trusting)
    await join(hub, spoke, link, 'c1')
    await hub.stopControllers()
    const managed = (names: string[]) => async () => {
      const cluster = await hub.client.get(ManagedCluster, c1)
      const managedNamespaces = names.map((name) => ({ name, clusterSet: 'global' }))
      await writeStatus(hub.client, ManagedCluster, cluster, ({ status }) => ({ ...status, managedNamespaces }))
    }
    await managed(['team-a', 'team-b'])()
    await hub.eventually('the namespaces are reported', async () => {
      const { status } = await hub.client.get(ManagedCluster, c1)
      const reasons = status?.managedNamespaces?.map(({ conditions }) => conditions?.[0]?.reason)
      return reasons?.length === 2 && reasons.every((reason) => reason === 'NamespaceApplied')
    })
    const labels = async (name: string) => (await spoke.client.get(Namespace, { name })).metadata.labels ?? {}
    const [key] = Object.keys(await labels('team-a')).filter((label) => label.startsWith('clusterset.'))
    assert.match(key ?? '', /^clusterset\.open-cluster-management\.io\/[0-9a-f]{63}$/)
    assert.equal((await labels('team-b'))[key ?? ''], 'true')
    await managed(['team-a'])()
    await hub.eventually('the namespace is released', async () => (await labels('team-b'))[key ?? ''] === 'false')
    assert.equal((await labels('team-a'))[key ?? ''], 'true')
  })
})
