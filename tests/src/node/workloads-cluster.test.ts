import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CoreEvent,
  Deployment,
  EndpointSlice,
  Endpoints,
  Lease,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  Service,
  StorageClass,
} from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import { addNode, namespace, startSpoke, template } from './spoke.js'

const web = { namespace, name: 'web' }

function pod(name: string, spec: Partial<Pod['spec']> = {}) {
  return { metadata: { namespace, name, labels: { app: name } }, spec: { ...template(name).spec, ...spec } }
}

test('endpoints: a Service has the addresses of its pods, in both APIs', async (t) => {
  const spoke = await startSpoke(t, { play: ({ metadata }) => (metadata.name === 'slow' ? 'NotReady' : 'Running') })
  const ports = [{ name: 'http', containerPort: 8080 }]
  const labels = { app: 'web' }
  for (const name of ['fast', 'slow']) {
    await spoke.client.create(Pod, {
      metadata: { namespace, name, labels },
      spec: { ...template('web', { ports }).spec },
    })
  }
  await spoke.client.create(Service, {
    metadata: web,
    spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
  })
  const { subsets } = await spoke.until(Endpoints, 'web', 'both are there', (endpoints) => {
    const [subset] = endpoints.subsets ?? []
    return subset?.addresses?.length === 1 && subset.notReadyAddresses?.length === 1
  })
  assert.deepEqual(subsets?.[0]?.ports, [{ name: 'web', port: 8080, protocol: 'TCP' }])
  assert.equal(subsets?.[0]?.addresses?.[0]?.targetRef?.name, 'fast')
  const slices = () => spoke.list(EndpointSlice, 'kubernetes.io/service-name=web')
  await spoke.eventually('both are in one slice', async () => {
    const [slice, ...others] = await slices()
    return others.length === 0 && slice?.endpoints?.length === 2 && slice.ports?.[0]?.port === 8080
  })
  const [slice] = await slices()
  const conditions = (name: string) => slice?.endpoints?.find(({ targetRef }) => targetRef?.name === name)?.conditions
  assert.deepEqual(conditions('fast'), { ready: true, serving: true, terminating: false })
  assert.deepEqual(conditions('slow'), { ready: false, serving: false, terminating: false })
  await spoke.client.deleteCollection(Pod, { namespace, labelSelector: 'app=web' })
  await spoke.until(Endpoints, 'web', 'nothing is left', (endpoints) => (endpoints.subsets ?? []).length === 0)
  await spoke.eventually('the slice is empty', async () => ((await slices())[0]?.endpoints ?? []).length === 0)
  await spoke.client.delete(Service, web)
  await spoke.eventually('both are gone', async () => {
    return (await slices()).length === 0 && (await spoke.client.find(Endpoints, web)) === undefined
  })
})

test('endpoints: manual Endpoints are mirrored as EndpointSlices', async (t) => {
  const spoke = await startSpoke(t)
  const slices = () => spoke.list(EndpointSlice, 'kubernetes.io/service-name=web')
  await spoke.client.create(Service, { metadata: web, spec: { ports: [{ port: 80 }] } })
  await spoke.client.create(Endpoints, {
    metadata: { ...web, labels: { tier: 'old' }, annotations: { note: 'by hand' } },
    subsets: [
      { addresses: [{ ip: '192.0.2.1' }], notReadyAddresses: [{ ip: '192.0.2.2' }], ports: [{ port: 80 }] },
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 443, name: 'tls' }] },
    ],
  })
  await spoke.eventually('each has a slice', async () => (await slices()).length === 2)
  const plain = (await slices()).find(({ ports }) => ports?.[0]?.port === 80)
  const addresses = plain?.endpoints?.map(({ addresses: [ip], conditions }) => [ip, conditions])
  assert.deepEqual(addresses, [
    ['192.0.2.1', { ready: true }],
    ['192.0.2.2', { ready: false }],
  ])
  assert.equal(plain?.metadata.labels?.tier, 'old')
  assert.equal(plain?.metadata.annotations?.note, 'by hand')
  assert.equal(plain?.metadata.ownerReferences?.[0]?.kind, 'Endpoints')
  const subsets = [{ addresses: [{ ip: '2001:db8::1' }], ports: [{ port: 80 }] }]
  await spoke.client.patch(Endpoints, web, { subsets })
  await spoke.eventually('the other one is shown', async () => {
    const [slice, ...others] = await slices()
    return others.length === 0 && slice?.addressType === 'IPv6'
  })
  await spoke.client.patch(Endpoints, web, {
    metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
  })
  await spoke.eventually('they are no longer required', async () => (await slices()).length === 0)
})

test('endpoints: a pod without the ports of a Service is not included', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(Pod, pod('web'))
  const named = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 'http' }] }
  await spoke.client.create(Service, { metadata: { namespace, name: 'named' }, spec: named })
  await spoke.client.create(Service, { metadata: web, spec: { ...named, ports: [{ port: 80 }] } })
  await spoke.until(Endpoints, 'web', 'it is there', ({ subsets }) => subsets?.[0]?.addresses?.length === 1)
  const { subsets } = await spoke.until(Endpoints, 'named', 'they are there', () => true)
  assert.deepEqual(subsets ?? [], [])
})

test('scheduler: places a pod where it fits, and reports why it fits nowhere', async (t) => {
  const spoke = await startSpoke(t)
  const huge = { name: 'main', image: 'huge', resources: { requests: { cpu: '8' } } }
  await spoke.client.create(Pod, pod('huge', { containers: [huge] }))
  const waiting = await spoke.until(Pod, 'huge', 'it is refused', ({ status }) => {
    return findCondition(status?.conditions, 'PodScheduled')?.status === 'False'
  })
  const refusal = findCondition(waiting.status?.conditions, 'PodScheduled')
  assert.equal(refusal?.reason, 'Unschedulable')
  assert.equal(refusal?.message, '0/1 nodes are available: 1 Insufficient cpu.')
  await spoke.client.create(Pod, pod('picky', { nodeSelector: { disk: 'ssd' } }))
  await spoke.until(Pod, 'picky', 'it is refused', ({ status }) => {
    const { message = '' } = findCondition(status?.conditions, 'PodScheduled') ?? {}
    return message === "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."
  })
  await addNode(spoke.client, 'node-2', { metadata: { labels: { disk: 'ssd' } } })
  const placed = await spoke.until(Pod, 'picky', 'it has a node', ({ spec }) => spec.nodeName !== undefined)
  assert.equal(placed.spec.nodeName, 'node-2')
  const large = (name: string) => pod(name, { containers: [{ ...huge, resources: { requests: { cpu: '3' } } }] })
  for (const name of ['one', 'two', 'three']) await spoke.client.create(Pod, large(name))
  await spoke.until(Pod, 'three', 'there is no room for it', ({ status }) => {
    const { message = '' } = findCondition(status?.conditions, 'PodScheduled') ?? {}
    return message === '0/2 nodes are available: 2 Insufficient cpu.'
  })
  await spoke.client.delete(Pod, { namespace, name: 'one' })
  await spoke.until(Pod, 'three', 'it took the room', ({ spec }) => spec.nodeName !== undefined)
})

test('volumes: claims are bound at once or with their pod, by the class', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.until(StorageClass, 'standard', 'it is there', () => true)
  const { provisioner } = await spoke.client.get(StorageClass, { name: 'standard' })
  const metadata = { name: 'fast' }
  await spoke.client.create(StorageClass, { metadata, provisioner, volumeBindingMode: 'Immediate' })
  const resources = { requests: { storage: '2Gi' } }
  const claim = (name: string, storageClassName?: string) =>
    spoke.client.create(PersistentVolumeClaim, {
      metadata: { namespace, name },
      spec: { accessModes: ['ReadWriteOnce'], resources, ...(storageClassName !== undefined && { storageClassName }) },
    })
  await claim('now', 'fast')
  await claim('later')
  const bound = await spoke.until(
    PersistentVolumeClaim,
    'now',
    'it is bound',
    ({ status }) => status?.phase === 'Bound',
  )
  assert.deepEqual(bound.status?.capacity, { storage: '2Gi' })
  const later = await spoke.client.get(PersistentVolumeClaim, { namespace, name: 'later' })
  assert.equal(later.spec?.storageClassName, 'standard')
  assert.equal(later.status?.phase, 'Pending')
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'later' } }]
  await spoke.client.create(Pod, pod('user', { volumes }))
  await spoke.until(Pod, 'user', 'it runs', ({ status }) => status?.phase === 'Running')
  const used = await spoke.client.get(PersistentVolumeClaim, { namespace, name: 'later' })
  assert.equal(used.metadata.annotations?.['volume.kubernetes.io/selected-node'], 'node-1')
  await spoke.eventually('it is reported', async () => {
    const told = (await spoke.client.list(CoreEvent, { namespace })).items.map(({ reason }) => reason)
    assert.ok(!told.includes('FailedScheduling'), 'waiting for a volume is no failure')
    return told.includes('Scheduled')
  })
  const name = used.spec?.volumeName ?? ''
  const volume = await spoke.client.get(PersistentVolume, { name })
  assert.equal(volume.spec?.claimRef?.uid, used.metadata.uid)
  await spoke.client.delete(Pod, { namespace, name: 'user' })
  await spoke.client.delete(PersistentVolumeClaim, { namespace, name: 'later' })
  await spoke.eventually(
    'its volume is gone',
    async () => (await spoke.client.find(PersistentVolume, { name })) === undefined,
  )
})

test('volumes: an existing volume is bound to a matching claim, and retained if required', async (t) => {
  const spoke = await startSpoke(t)
  for (const [name, storage] of [
    ['small', '1Gi'],
    ['large', '10Gi'],
    ['medium', '5Gi'],
  ] as const) {
    await spoke.client.create(PersistentVolume, {
      metadata: { name },
      spec: {
        capacity: { storage },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        storageClassName: '',
        hostPath: { path: `/data/${name}` },
      },
    })
  }
  const spec = {
    accessModes: ['ReadWriteOnce' as const],
    storageClassName: '',
    resources: { requests: { storage: '3Gi' } },
  }
  await spoke.client.create(PersistentVolumeClaim, { metadata: { namespace, name: 'data' }, spec })
  const claim = await spoke.until(
    PersistentVolumeClaim,
    'data',
    'it is bound',
    ({ status }) => status?.phase === 'Bound',
  )
  assert.equal(claim.spec?.volumeName, 'medium')
  await spoke.client.delete(PersistentVolumeClaim, { namespace, name: 'data' })
  await spoke.until(PersistentVolume, 'medium', 'it is released', ({ status }) => status?.phase === 'Released')
  await spoke.until(PersistentVolume, 'large', 'it is free', ({ status }) => status?.phase === 'Available')
  await spoke.client.create(PersistentVolumeClaim, { metadata: { namespace, name: 'more' }, spec })
  await spoke.until(PersistentVolume, 'large', 'it is taken', ({ status }) => status?.phase === 'Bound')
  await spoke.client.delete(PersistentVolume, { name: 'large' })
  assert.notEqual(await spoke.client.find(PersistentVolume, { name: 'large' }), undefined, 'it is kept while in use')
  await spoke.client.delete(PersistentVolumeClaim, { namespace, name: 'more' })
  await spoke.eventually('it goes with its claim', async () => {
    return (await spoke.client.find(PersistentVolume, { name: 'large' })) === undefined
  })
})

test('disruption: a budget counts the allowed disruptions', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(Deployment, {
    metadata: web,
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  })
  const selector = { matchLabels: { app: 'web' } }
  await spoke.client.create(PodDisruptionBudget, { metadata: web, spec: { selector, maxUnavailable: 1 } })
  const { status } = await spoke.until(PodDisruptionBudget, 'web', 'one may go', (budget) => {
    return budget.status?.disruptionsAllowed === 1 && budget.status.currentHealthy === 3
  })
  assert.equal(status?.desiredHealthy, 2)
  assert.equal(status?.expectedPods, 3)
  assert.ok(isConditionTrue(status?.conditions, 'DisruptionAllowed'))
  await spoke.client.patch(PodDisruptionBudget, web, { spec: { maxUnavailable: 0 } })
  await spoke.until(PodDisruptionBudget, 'web', 'none may go', (budget) => budget.status?.disruptionsAllowed === 0)
})

test('disruption: a budget of pods without an owner allows none, and reports it', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(Pod, pod('web'))
  const selector = { matchLabels: { app: 'web' } }
  await spoke.client.create(PodDisruptionBudget, { metadata: web, spec: { maxUnavailable: 1, selector } })
  const { status } = await spoke.until(PodDisruptionBudget, 'web', 'the pod counts', (budget) => {
    return budget.status?.currentHealthy === 1
  })
  assert.equal(status?.disruptionsAllowed, 0)
  assert.equal(status?.expectedPods, 0)
  assert.equal(findCondition(status?.conditions, 'DisruptionAllowed')?.reason, 'InsufficientPods')
  const events = async () => (await spoke.client.list(CoreEvent, { namespace })).items
  await spoke.eventually('it is reported', async () =>
    (await events()).some(({ reason }) => reason === 'UnmanagedPods'),
  )
})

test('nodes: a node whose lease expires loses its pods after a while', async (t) => {
  const spoke = await startSpoke(t, { nodes: ['node-1', 'node-2'] })
  const leaseRef = { namespace: 'kube-node-lease', name: 'node-1' }
  const renewTime = `${spoke.clock.now().toISOString().slice(0, -1)}000Z`
  await spoke.client.create(Lease, { metadata: leaseRef, spec: { holderIdentity: 'node-1', renewTime } })
  await spoke.client.create(Deployment, {
    metadata: web,
    spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template('web') },
  })
  await spoke.until(Deployment, 'web', 'it runs', ({ status }) => status?.readyReplicas === 2)
  await spoke.eventually('the lease is followed', () =>
    spoke.group.health.some(({ name, waiting }) => name === 'node-lifecycle' && waiting > 0),
  )
  spoke.clock.advance(51_000)
  const lost = await spoke.until(Node, 'node-1', 'it is lost', ({ status, spec }) => {
    const isUnknown = findCondition(status?.conditions, 'Ready')?.status === 'Unknown'
    return isUnknown && (spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute')
  })
  assert.equal(findCondition(lost.status?.conditions, 'Ready')?.reason, 'NodeStatusUnknown')
  await spoke.eventually('its pods have some time', () =>
    spoke.group.health.some(({ name, waiting }) => name === 'taint-eviction-controller' && waiting > 0),
  )
  spoke.clock.advance(301_000)
  await spoke.eventually('both pods run on the other node', async () => {
    const pods = await spoke.list(Pod)
    return pods.length === 2 && pods.every(({ spec }) => spec.nodeName === 'node-2')
  })
})

test('nodes: pods of a deleted node are deleted', async (t) => {
  const spoke = await startSpoke(t)
  await spoke.client.create(Pod, pod('lone'))
  await spoke.until(Pod, 'lone', 'it runs', ({ status }) => status?.phase === 'Running')
  await spoke.client.delete(Node, { name: 'node-1' })
  await spoke.eventually('it is gone', async () => (await spoke.list(Pod)).length === 0)
})
