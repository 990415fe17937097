import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ControllerRevision,
  DaemonSet,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicaSet,
  ReplicationController,
  ResourceQuota,
  StatefulSet,
} from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { addNode, namespace, type Spoke, startSpoke, template } from './spoke.js'

const selector = { matchLabels: { app: 'db' } }
const db = { namespace, name: 'db' }

function createSet({ client }: Spoke, spec: Partial<StatefulSet['spec']> = {}) {
  return client.create(StatefulSet, {
    metadata: db,
    spec: { replicas: 3, serviceName: 'db', selector, template: template('db'), ...spec },
  })
}

const isRolledOut = ({ metadata, spec, status }: StatefulSet) =>
  status?.observedGeneration === metadata.generation &&
  (status?.readyReplicas ?? 0) === spec.replicas &&
  status?.replicas === spec.replicas &&
  (status?.updatedReplicas ?? 0) === spec.replicas &&
  status?.currentRevision === status?.updateRevision

test('StatefulSet: creates its pods one after the other, each with its own name and storage', async (t) => {
  const spoke = await startSpoke(t)
  const order: string[] = []
  spoke.informers.of(Pod).subscribe(({ type, after }) => {
    if (type === 'added') order.push(after.metadata.name)
  })
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
  }
  await createSet(spoke, { volumeClaimTemplates: [claim] })
  await spoke.until(StatefulSet, 'db', 'it is rolled out', isRolledOut)
  assert.deepEqual(order, ['db-0', 'db-1', 'db-2'])
  const pod = await spoke.client.get(Pod, { namespace, name: 'db-1' })
  assert.equal(pod.spec.hostname, 'db-1')
  assert.equal(pod.spec.subdomain, 'db')
  assert.equal(pod.metadata.labels?.['apps.kubernetes.io/pod-index'], '1')
  const claims = (await spoke.client.list(PersistentVolumeClaim, { namespace })).items
  assert.deepEqual(claims.map(({ metadata, status }) => `${metadata.name} ${status?.phase}`).sort(), [
    'data-db-0 Bound',
    'data-db-1 Bound',
    'data-db-2 Bound',
  ])
  const volumes = (await spoke.client.list(PersistentVolume)).items
  assert.equal(volumes.length, 3)
  assert.ok(volumes.every(({ status, spec }) => status?.phase === 'Bound' && spec?.hostPath !== undefined))
  await spoke.client.patch(StatefulSet, db, { spec: { replicas: 1 } })
  await spoke.until(StatefulSet, 'db', 'it is smaller', isRolledOut)
  assert.deepEqual(
    (await spoke.list(Pod)).map(({ metadata }) => metadata.name),
    ['db-0'],
  )
  assert.equal((await spoke.client.list(PersistentVolumeClaim, { namespace })).items.length, 3)
})

test('StatefulSet: deletes claims with their pods if configured', async (t) => {
  const spoke = await startSpoke(t)
  const claim = {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } },
  }
  const policy = { whenDeleted: 'Delete', whenScaled: 'Delete' } as const
  await createSet(spoke, { replicas: 2, volumeClaimTemplates: [claim], persistentVolumeClaimRetentionPolicy: policy })
  await spoke.until(StatefulSet, 'db', 'it is rolled out', isRolledOut)
  const names = async () =>
    (await spoke.client.list(PersistentVolumeClaim, { namespace })).items.map(({ metadata }) => metadata.name)
  await spoke.client.patch(StatefulSet, db, { spec: { replicas: 1 } })
  await spoke.eventually('the claim of the second is gone', async () => (await names()).join() === 'data-db-0')
  await spoke.client.delete(StatefulSet, db)
  await spoke.eventually('every claim is gone', async () => (await names()).length === 0)
  await spoke.eventually('their volumes as well', async () => spoke.informers.of(PersistentVolume).size === 0)
})

test('StatefulSet: a pending pod gets a new claim for a deleted one', async (t) => {
  const spoke = await startSpoke(t, { nodes: [] })
  const resources = { requests: { storage: '1Gi' } }
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce' as const], resources } }
  await createSet(spoke, { replicas: 1, volumeClaimTemplates: [claim] })
  await spoke.until(Pod, 'db-0', 'it waits', ({ status }) => status?.phase === 'Pending')
  const { metadata } = await spoke.until(PersistentVolumeClaim, 'data-db-0', 'it is there', () => true)
  await spoke.client.delete(PersistentVolumeClaim, { namespace, name: 'data-db-0' })
  await spoke.until(PersistentVolumeClaim, 'data-db-0', 'it is another', (found) => {
    return found.metadata.uid !== metadata.uid
  })
})

test('StatefulSet: a new template replaces pods from the last to the first, down to the partition', async (t) => {
  const spoke = await startSpoke(t)
  await createSet(spoke)
  await spoke.until(StatefulSet, 'db', 'it is rolled out', isRolledOut)
  const gone: string[] = []
  const stop = spoke.informers.of(Pod).subscribe(({ type, before }) => {
    if (type === 'deleted') gone.push(before.metadata.name)
  })
  const changed = template('db', { image: 'db:2' })
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 1 } }
  await spoke.client.patch(StatefulSet, db, { spec: { template: changed, updateStrategy } })
  const partial = await spoke.until(StatefulSet, 'db', 'two are new', ({ status }) => {
    return status?.updatedReplicas === 2 && status.readyReplicas === 3
  })
  assert.notEqual(partial.status?.currentRevision, partial.status?.updateRevision)
  assert.deepEqual(gone, ['db-2', 'db-1'])
  await spoke.client.delete(Pod, { namespace, name: 'db-0' })
  const old = await spoke.until(Pod, 'db-0', 'it is back', ({ status }) => status?.phase === 'Running')
  assert.equal(old.spec.containers[0]?.image, 'db:1')
  await spoke.client.patch(StatefulSet, db, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })
  await spoke.until(StatefulSet, 'db', 'all are new', isRolledOut)
  stop()
  const revisions = await spoke.list(ControllerRevision)
  assert.deepEqual(revisions.map(({ revision }) => revision).sort(), [1, 2])
  // kubectl's rollback.
  const former = revisions.find(({ revision }) => revision === 1)
  await spoke.client.patch(StatefulSet, db, former?.data ?? {}, { type: 'strategic' })
  await spoke.until(StatefulSet, 'db', 'it is rolled back', isRolledOut)
  assert.equal((await spoke.client.get(Pod, { namespace, name: 'db-0' })).spec.containers[0]?.image, 'db:1')
  const after = await spoke.list(ControllerRevision)
  assert.deepEqual(after.map(({ revision }) => revision).sort(), [2, 3])
})

test('StatefulSet: Parallel does not wait, OrderedReady waits for the previous pod', async (t) => {
  const spoke = await startSpoke(t, { play: ({ metadata }) => (metadata.name.endsWith('-0') ? 'NotReady' : 'Running') })
  await createSet(spoke, { podManagementPolicy: 'Parallel' })
  await spoke.eventually('all three are there', async () => (await spoke.list(Pod)).length === 3)
  await spoke.client.create(StatefulSet, {
    metadata: { namespace, name: 'ordered' },
    spec: {
      replicas: 2,
      serviceName: 'ordered',
      selector: { matchLabels: { app: 'ordered' } },
      template: template('ordered'),
    },
  })
  await spoke.until(StatefulSet, 'ordered', 'the first one runs', ({ status }) => status?.replicas === 1)
  await spoke.until(Pod, 'ordered-0', 'it is not ready', ({ status }) => status?.phase === 'Running')
  assert.equal((await spoke.list(Pod, 'app=ordered')).length, 1)
})

const agent = { namespace, name: 'agent' }
const isEverywhere =
  (count: number) =>
  ({ status, metadata }: DaemonSet) =>
    status?.observedGeneration === metadata.generation &&
    status?.desiredNumberScheduled === count &&
    (status.numberAvailable ?? 0) === count &&
    (status.updatedNumberScheduled ?? 0) === count

test('DaemonSet: runs on every matching node', async (t) => {
  const spoke = await startSpoke(t, { nodes: ['node-1', 'node-2'] })
  const spec = { selector: { matchLabels: { app: 'agent' } }, template: template('agent') }
  await spoke.client.create(DaemonSet, { metadata: agent, spec })
  await spoke.until(DaemonSet, 'agent', 'it runs on both', isEverywhere(2))
  await addNode(spoke.client, 'node-3')
  await spoke.until(DaemonSet, 'agent', 'it runs on the third', isEverywhere(3))
  // A cordoned node keeps its daemons, and gets new ones.
  await spoke.client.patch(Node, { name: 'node-1' }, { spec: { unschedulable: true } })
  await spoke.client.patch(DaemonSet, agent, { spec: { template: template('agent', { image: 'agent:2' }) } })
  await spoke.until(DaemonSet, 'agent', 'the new one runs on all', isEverywhere(3))
  const images = (await spoke.list(Pod)).map(({ spec: { containers } }) => containers[0]?.image)
  assert.deepEqual(images, ['agent:2', 'agent:2', 'agent:2'])
  await spoke.client.patch(Node, { name: 'node-2' }, { metadata: { labels: { disk: 'ssd' } } })
  const chosen = { ...template('agent').spec, nodeSelector: { disk: 'ssd' } }
  await spoke.client.patch(DaemonSet, agent, { spec: { template: { ...template('agent'), spec: chosen } } })
  await spoke.until(DaemonSet, 'agent', 'it runs on one', isEverywhere(1))
  await spoke.eventually('the others are gone', async () => (await spoke.list(Pod)).length === 1)
  assert.equal((await spoke.list(Pod))[0]?.spec.nodeName, 'node-2')
})

test('DaemonSet: with maxSurge, starts the new pod before the old one ends', async (t) => {
  const spoke = await startSpoke(t)
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } as const
  const spec = { selector: { matchLabels: { app: 'agent' } }, template: template('agent'), updateStrategy }
  await spoke.client.create(DaemonSet, { metadata: agent, spec })
  await spoke.until(DaemonSet, 'agent', 'it runs', isEverywhere(1))
  let most = 0
  const pods = spoke.informers.of(Pod)
  pods.subscribe(() => {
    most = Math.max(most, pods.list(namespace).length)
  })
  await spoke.client.patch(DaemonSet, agent, { spec: { template: template('agent', { image: 'agent:2' }) } })
  await spoke.until(DaemonSet, 'agent', 'the new one runs', isEverywhere(1))
  await spoke.eventually('the old one is gone', () => pods.list(namespace).length === 1)
  assert.equal(most, 2)
})

test('ReplicationController: keeps its pods, and reports an exhausted quota', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(ResourceQuota, { metadata: { namespace, name: 'few' }, spec: { hard: { pods: '2' } } })
  await spoke.until(ResourceQuota, 'few', 'it is counted', ({ status }) => status?.used?.pods === '0')
  await spoke.client.create(ReplicationController, {
    metadata: { namespace, name: 'web' },
    spec: { replicas: 2, selector: { app: 'web' }, template: template('web') },
  })
  await spoke.until(ReplicationController, 'web', 'it has two', ({ status }) => status?.readyReplicas === 2)
  await spoke.client.create(ReplicaSet, {
    metadata: { namespace, name: 'more' },
    spec: { replicas: 1, selector: { matchLabels: { app: 'more' } }, template: template('more') },
  })
  const { status } = await spoke.until(ReplicaSet, 'more', 'it says why it has none', (set) => {
    return findCondition(set.status?.conditions, 'ReplicaFailure') !== undefined
  })
  const failure = findCondition(status?.conditions, 'ReplicaFailure')
  assert.equal(failure?.reason, 'FailedCreate')
  assert.match(failure?.message ?? '', /exceeded quota: few/)
})

test('ReplicaSet: adopts orphaned pods, and releases those that no longer match', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(Pod, { ...template('web'), metadata: { namespace, name: 'lone', labels: { app: 'web' } } })
  await spoke.client.create(ReplicaSet, {
    metadata: { namespace, name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  })
  await spoke.until(ReplicaSet, 'web', 'it has two', ({ status }) => status?.readyReplicas === 2)
  const adopted = await spoke.client.get(Pod, { namespace, name: 'lone' })
  assert.equal(adopted.metadata.ownerReferences?.[0]?.name, 'web')
  await spoke.client.patch(Pod, { namespace, name: 'lone' }, { metadata: { labels: { app: 'other' } } })
  await spoke.until(Pod, 'lone', 'it is free', ({ metadata }) => metadata.ownerReferences === undefined)
  await spoke.eventually('another took its place', async () => (await spoke.list(Pod, 'app=web')).length === 2)
})
