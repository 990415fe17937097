import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AppliedManifestWork, WORK_FINALIZER } from '@orrery/api'
import { ConfigMap, Deployment, Namespace, PersistentVolumeClaim, Secret, Service, ServiceAccount } from '@orrery/kinds'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { appliedOf, configMap, holdsData, inDefault, manifestOf, says, WorkPair } from './work-pair.js'

test('work: is applied, held and recorded in an AppliedManifestWork', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('web', [configMap('a', { x: '1' }), configMap('b', { y: '2' })], {}, { team: 'blue' })
  const work = await pair.whenApplied('web')
  assert.ok(work.metadata.finalizers?.includes(WORK_FINALIZER))
  assert.equal(appliedOf(work, 0)?.reason, 'AppliedManifestComplete')
  assert.equal(appliedOf(work, 1)?.message, 'Apply manifest complete')
  assert.deepEqual(manifestOf(work, 0)?.resourceMeta, {
    ordinal: 0,
    group: '',
    version: 'v1',
    kind: 'ConfigMap',
    resource: 'configmaps',
    namespace: 'default',
    name: 'a',
  })
  const a = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.deepEqual(a.data, { x: '1' })
  await eventually(
    'the record lists both',
    async () => (await pair.record('web'))?.status?.appliedResources?.length === 2,
  )
  const record = (await pair.record('web')) as AppliedManifestWork
  assert.match(record.metadata.name, /^[0-9a-f]{64}-web$/)
  assert.deepEqual(record.metadata.labels, { team: 'blue' })
  assert.equal(record.spec?.agentID, record.spec?.hubHash)
  assert.equal(record.status?.appliedResources?.[0]?.uid, a.metadata.uid)
  assert.deepEqual(a.metadata.ownerReferences, [
    {
      apiVersion: 'work.open-cluster-management.io/v1',
      kind: 'AppliedManifestWork',
      name: record.metadata.name,
      uid: record.metadata.uid,
    },
  ])
})

test('work: costs few requests', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork(
    'cheap',
    [1, 2, 3, 4, 5].map((n) => configMap(`c${n}`, { n: String(n) })),
  )
  await pair.whenApplied('cheap')
  await eventually(
    'the record lists all',
    async () => (await pair.record('cheap'))?.status?.appliedResources?.length === 5,
  )
  const spokeWrites = pair.spoke
    .takeWrites()
    .map(({ method, path }) => `${method} ${path.replace(/[0-9a-f]{64}/, 'H').split('?')[0]}`)
  assert.deepEqual(spokeWrites.toSorted(), [
    'PATCH /apis/work.open-cluster-management.io/v1/appliedmanifestworks/H-cheap/status',
    'POST /api/v1/namespaces/default/configmaps',
    'POST /api/v1/namespaces/default/configmaps',
    'POST /api/v1/namespaces/default/configmaps',
    'POST /api/v1/namespaces/default/configmaps',
    'POST /api/v1/namespaces/default/configmaps',
    'POST /apis/work.open-cluster-management.io/v1/appliedmanifestworks',
  ])
})

test('work: an agent that restarts writes nothing for objects in the desired state', async (t) => {
  const pair = await WorkPair.start(t)
  const first = await pair.startAgent()
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inDefault('web'),
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  }
  await pair.createWork('w', [configMap('a', { x: '1' }), deployment])
  await pair.whenWork('w', (work) => says(work, 'Applied', 'True') && says(work, 'Available', 'True'))
  await first.close()
  const versions = async () => [
    (await pair.spoke.client.get(ConfigMap, inDefault('a'))).metadata.resourceVersion,
    (await pair.spoke.client.get(Deployment, inDefault('web'))).metadata.resourceVersion,
    (await pair.record('w'))?.metadata.resourceVersion,
    (await pair.whenApplied('w')).metadata.resourceVersion,
  ]
  const before = await versions()
  pair.spoke.takeWrites()
  pair.hub.takeWrites()
  const second = await pair.startAgent()
  await eventually('the work was reconciled', () => second.health.every(({ ready, running }) => ready + running === 0))
  assert.deepEqual(await versions(), before)
  assert.deepEqual(pair.hub.takeWrites(), [])
  assert.ok(pair.spoke.takeWrites().every(({ path }) => path.includes('/deployments/')))
})

test('work: a resync without a change causes no request', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  // The resync of each work has its own jitter.
  let looks = 0
  const random = () => {
    looks++
    return 0
  }
  const agent = await pair.startAgent({ options: { random } })
  const names = Array.from({ length: 20 }, (_, n) => `w${n}`)
  const byServer = (name: string) => ({
    resourceIdentifier: { resource: 'configmaps', namespace: 'default', name: `${name}-server` },
    updateStrategy: { type: 'ServerSideApply' as const },
  })
  for (const name of names) {
    const manifests = [configMap(`${name}-update`, { name }), configMap(`${name}-server`, { name })]
    await pair.createWork(name, manifests, { manifestConfigs: [byServer(name)] })
  }
  for (const name of names) await pair.whenWork(name, (work) => says(work, 'Available', 'True'))
  const isIdle = () => agent.health.every(({ ready, running }) => ready + running === 0)
  await eventually('all is done', isIdle)
  const before = looks
  pair.spoke.requests.length = 0
  pair.hub.requests.length = 0
  await eventually('all were reconciled again', () => {
    clock.advance(60_000)
    return looks >= before + names.length && isIdle()
  })
  const asked = [...pair.spoke.requests, ...pair.hub.requests].filter(({ path }) => !path.includes('watch=true'))
  assert.deepEqual(asked, [])
})

test('work: corrects changed and deleted objects at once', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { x: '2', z: '3' } })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '1' }))
  const { metadata } = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  await pair.spoke.client.delete(ConfigMap, inDefault('a'))
  await pair.spoke.when(ConfigMap, inDefault('a'), (map) => map.metadata.uid !== metadata.uid)
})

test('work: keeps labels and finalizers of others', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.spoke.client.create(ConfigMap, {
    metadata: { ...inDefault('a'), labels: { other: 'o' }, finalizers: ['example.com/hold'] },
  })
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' }, { labels: { mine: 'm' }, uid: 'nonsense' })])
  await pair.whenApplied('w')
  const { metadata, data } = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.deepEqual(metadata.labels, { mine: 'm', other: 'o' })
  assert.deepEqual(metadata.finalizers, ['example.com/hold'])
  assert.deepEqual(data, { x: '1' })
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { metadata: { finalizers: null } })
})

test('work: deletes objects that are no longer in it', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' }), configMap('b', { x: '1' })])
  await pair.whenApplied('w')
  await pair.changeWork('w', { workload: { manifests: [configMap('a', { x: '2' })] } })
  await pair.spoke.whenGone(ConfigMap, inDefault('b'))
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ x: '2' }))
  await eventually('the record lists one', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
})

test('work: a manifest that cannot be applied has a reason, and does not block the others', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [
    configMap('Not A Name', { x: '1' }),
    configMap('good', { x: '1' }),
    { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: inDefault('g') },
    configMap('homeless', { x: '1' }, { namespace: 'nowhere' }),
  ])
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /configmaps default\/Not A Name: .*Invalid value/)
  assert.equal(appliedOf(work, 0)?.reason, 'AppliedManifestFailed')
  assert.equal(appliedOf(work, 1)?.status, 'True')
  assert.match(appliedOf(work, 2)?.message ?? '', /no matches for kind "Gadget"/)
  assert.match(
    appliedOf(work, 3)?.message ?? '',
    /namespaces "nowhere" not found.*Add a manifest for namespace "nowhere"/,
  )
  await pair.spoke.client.get(ConfigMap, inDefault('good'))
  await pair.spoke.client.create(Namespace, { metadata: { name: 'nowhere' } })
  await pair.spoke.when(ConfigMap, { namespace: 'nowhere', name: 'homeless' })
})

test('work: does not fight over fields that the cluster fills in', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: inDefault('svc'),
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  }
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: inDefault('pvc'),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }
  await pair.createWork('w', [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'made' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace: 'made', name: 'robot' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s'), stringData: { key: 'value' } },
    service,
    claim,
  ])
  await pair.whenApplied('w')
  await pair.spoke.client.patch(PersistentVolumeClaim, inDefault('pvc'), { spec: { volumeName: 'disk' } })
  await pair.spoke.client.patch(
    ServiceAccount,
    { namespace: 'made', name: 'robot' },
    { imagePullSecrets: [{ name: 'p' }] },
  )
  await pair.changeWork('w', { manifestConfigs: [] })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'True') || says(work, 'Applied', 'False'))
  assert.ok(says(work, 'Applied', 'True'), JSON.stringify(work.status))
  assert.equal((await pair.spoke.client.get(PersistentVolumeClaim, inDefault('pvc'))).spec?.volumeName, 'disk')
  assert.ok((await pair.spoke.client.get(Service, inDefault('svc'))).spec?.clusterIP)
  const robot = await pair.spoke.client.get(ServiceAccount, { namespace: 'made', name: 'robot' })
  assert.deepEqual(robot.imagePullSecrets, [{ name: 'p' }])
  assert.equal((await pair.spoke.client.get(Secret, inDefault('s'))).data?.key, Buffer.from('value').toString('base64'))
})

test('work: reports a name that is too long', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const name = 'w'.repeat(189)
  await pair.createWork(name, [configMap('a', { x: '1' })])
  const work = await pair.whenWork(name, (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /longer than 188 characters/)
})

test('work: keeps a Secret whose type changes while the new one is invalid', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s'), data: { key: 'aHVudGVyMg==' } }
  await pair.createWork('w', [secret])
  await pair.whenApplied('w')
  const before = await pair.spoke.client.get(Secret, inDefault('s'))
  const ofType = (type: string) => ({ workload: { manifests: [{ ...secret, type }] } })
  await pair.changeWork('w', ofType('kubernetes.io/tls'))
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /data\[tls\.crt\]: Required value/)
  const kept = await pair.spoke.client.get(Secret, inDefault('s'))
  assert.deepEqual([kept.metadata.uid, kept.data], [before.metadata.uid, { key: 'aHVudGVyMg==' }])
  await pair.changeWork('w', ofType('example.com/other'))
  await eventually('the Secret has the other type', async () => {
    return (await pair.spoke.client.find(Secret, inDefault('s')))?.type === 'example.com/other'
  })
})

test('work: reveals a manifest before it is applied, and does not report its values', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent({
    reveal: (manifest) => ({ ...manifest, data: { key: 'cmV2ZWFsZWQtdmFsdWU' } }),
  })
  await pair.createWork('w', [
    { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s'), data: { key: 'c2VhbGVk' } },
  ])
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /secrets default\/s/)
  assert.doesNotMatch(JSON.stringify(work.status) + pair.log.join(''), /cmV2ZWFsZWQtdmFsdWU/)
})
