import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CoreEvent, Deployment, Pod, ReplicaSet } from '@orrery/kinds'
import { findCondition, hasCondition } from '@orrery/kinds/values'
import { namespace, type Spoke, startSpoke, template } from './spoke.js'

const isRolledOut = ({ metadata, spec, status }: Deployment) =>
  status?.observedGeneration === metadata.generation &&
  (status?.updatedReplicas ?? 0) === spec.replicas &&
  (status?.replicas ?? 0) === spec.replicas &&
  (status?.availableReplicas ?? 0) === spec.replicas

function create({ client }: Spoke, spec: Partial<Deployment['spec']> = {}) {
  return client.create(Deployment, {
    metadata: { namespace, name: 'web' },
    spec: { replicas: 3, selector: { matchLabels: { app: 'web' } }, template: template('web'), ...spec },
  })
}

const web = { namespace, name: 'web' }

test('Deployment: creates its pods and reports them', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke)
  const { status, metadata } = await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  assert.equal(metadata.annotations?.['deployment.kubernetes.io/revision'], '1')
  assert.equal(findCondition(status?.conditions, 'Available')?.reason, 'MinimumReplicasAvailable')
  assert.equal(findCondition(status?.conditions, 'Progressing')?.reason, 'NewReplicaSetAvailable')
  const [set, ...others] = await spoke.list(ReplicaSet)
  assert.equal(others.length, 0)
  const pods = await spoke.list(Pod)
  assert.equal(pods.length, 3)
  for (const pod of pods) {
    assert.equal(pod.metadata.ownerReferences?.[0]?.uid, set?.metadata.uid)
    assert.equal(pod.metadata.labels?.['pod-template-hash'], set?.metadata.labels?.['pod-template-hash'])
    assert.equal(pod.spec.nodeName, 'node-1')
  }
  await spoke.eventually('the events are there', async () => {
    const { items } = await spoke.client.list(CoreEvent, { namespace })
    const notes = items.map(({ reason, message }) => `${reason}: ${message}`)
    const scaled = `ScalingReplicaSet: Scaled up replica set ${set?.metadata.name} from 0 to 3`
    return notes.includes(scaled) && notes.filter((note) => note.startsWith('Scheduled: ')).length === 3
  })
})

test('Deployment: rolls out a new template within its limits, and can be rolled back', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke, { replicas: 4, strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } })
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  let [most, least] = [0, Number.POSITIVE_INFINITY]
  const sets = spoke.informers.of(ReplicaSet)
  const pods = spoke.informers.of(Pod)
  const stop = pods.subscribe(() => {
    const active = pods.list(namespace).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    const ready = active.filter(({ status }) => hasCondition(status?.conditions, 'Ready', 'True'))
    most = Math.max(most, active.length)
    least = Math.min(least, ready.length)
  })
  await spoke.client.patch(Deployment, web, { spec: { template: template('web', { image: 'web:2' }) } })
  const second = await spoke.until(Deployment, 'web', 'the second template is rolled out', isRolledOut)
  assert.equal(second.metadata.annotations?.['deployment.kubernetes.io/revision'], '2')
  assert.ok(most <= 5, `there were ${most} pods`)
  assert.ok(least >= 3, `there were only ${least} ready pods`)
  stop()
  await spoke.client.patch(Deployment, web, { spec: { template: template('web') } })
  const third = await spoke.until(Deployment, 'web', 'it is rolled back', isRolledOut)
  assert.equal(third.metadata.annotations?.['deployment.kubernetes.io/revision'], '3')
  assert.equal(sets.size, 2)
  const current = sets.list(namespace).find(({ spec }) => spec.replicas === 4)
  assert.equal(current?.metadata.annotations?.['deployment.kubernetes.io/revision-history'], '1')
})

test('Deployment: is scaled up and down without a new revision', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke)
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  for (const replicas of [5, 1, 0]) {
    await spoke.client.patch(Deployment, web, { spec: { replicas } }, { subresource: 'scale' })
    await spoke.until(Deployment, 'web', `it has ${replicas}`, isRolledOut)
    await spoke.eventually(`${replicas} pods are there`, async () => (await spoke.list(Pod)).length === replicas)
  }
  assert.equal((await spoke.list(ReplicaSet)).length, 1)
})

test('Deployment: fails a rollout without progress at its deadline, and a fixed one continues', async (t) => {
  const spoke = await startSpoke(t, {
    play: ({ spec }) => (spec.containers[0]?.image === 'web:bad' ? 'NotReady' : 'Running'),
  })
  await create(spoke, { progressDeadlineSeconds: 60 })
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  await spoke.client.patch(Deployment, web, { spec: { template: template('web', { image: 'web:bad' }) } })
  await spoke.until(Deployment, 'web', 'it waits for the new pods', ({ status }) => status?.unavailableReplicas === 1)
  await spoke.eventually('a pod of the new template runs', async () => (await spoke.list(Pod)).length === 4)
  spoke.clock.advance(62_000)
  const stuck = await spoke.until(Deployment, 'web', 'it is given up', ({ status }) =>
    hasCondition(status?.conditions, 'Progressing', 'False'),
  )
  assert.equal(findCondition(stuck.status?.conditions, 'Progressing')?.reason, 'ProgressDeadlineExceeded')
  assert.equal(findCondition(stuck.status?.conditions, 'Available')?.status, 'True')
  await spoke.client.patch(Deployment, web, { spec: { template: template('web', { image: 'web:3' }) } })
  const fixed = await spoke.until(Deployment, 'web', 'the fixed one is rolled out', isRolledOut)
  assert.equal(findCondition(fixed.status?.conditions, 'Progressing')?.reason, 'NewReplicaSetAvailable')
})

test('Deployment: does not roll out while it is paused', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke)
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  await spoke.client.patch(Deployment, web, { spec: { paused: true } })
  await spoke.until(Deployment, 'web', 'it is paused', ({ status }) =>
    hasCondition(status?.conditions, 'Progressing', 'Unknown'),
  )
  const { metadata } = await spoke.client.patch(Deployment, web, {
    spec: { template: template('web', { image: 'web:2' }) },
  })
  await spoke.until(
    Deployment,
    'web',
    'the change was seen',
    ({ status }) => status?.observedGeneration === metadata.generation,
  )
  assert.equal((await spoke.list(ReplicaSet)).length, 1)
  await spoke.client.patch(Deployment, web, { spec: { paused: false } })
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  assert.equal((await spoke.list(ReplicaSet)).length, 2)
})

test('Deployment: Recreate creates new pods when the old ones are gone', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke, { strategy: { type: 'Recreate' } })
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  const images = new Set<string>()
  const pods = spoke.informers.of(Pod)
  const stop = pods.subscribe(() => {
    const now = new Set(pods.list(namespace).map(({ spec }) => spec.containers[0]?.image ?? ''))
    images.add([...now].sort().join())
  })
  await spoke.client.patch(Deployment, web, { spec: { template: template('web', { image: 'web:2' }) } })
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  stop()
  assert.ok(!images.has('web:1,web:2'), [...images].join(' | '))
})

test('Deployment: counts on from the revision of an adopted ReplicaSet, however high', async (t) => {
  const spoke = await startSpoke(t)
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' }
  await spoke.client.create(ReplicaSet, {
    metadata: { namespace, name: 'former', labels: { app: 'web' }, annotations },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: template('web', { image: 'web:0' }) },
  })
  await create(spoke)
  await spoke.until(Deployment, 'web', 'it has the next', ({ metadata }) => {
    return metadata.annotations?.['deployment.kubernetes.io/revision'] === '3546343826724305833'
  })
})

test('Deployment: keeps revisionHistoryLimit ReplicaSets', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke, { replicas: 1, revisionHistoryLimit: 1 })
  for (const image of ['web:2', 'web:3', 'web:4']) {
    await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
    await spoke.client.patch(Deployment, web, { spec: { template: template('web', { image }) } })
  }
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  await spoke.eventually('the others are gone', async () => (await spoke.list(ReplicaSet)).length === 2)
  const revisions = (await spoke.list(ReplicaSet)).map(
    ({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'],
  )
  assert.deepEqual(revisions.sort(), ['3', '4'])
})

test('Deployment: restores deleted pods, and deletes everything with itself', async (t) => {
  const spoke = await startSpoke(t)
  await create(spoke)
  await spoke.until(Deployment, 'web', 'it is rolled out', isRolledOut)
  const [pod] = await spoke.list(Pod)
  await spoke.client.delete(Pod, { namespace, name: pod?.metadata.name ?? '' })
  await spoke.eventually('another took its place', async () => {
    const pods = await spoke.list(Pod)
    return pods.length === 3 && pods.every(({ metadata }) => metadata.uid !== pod?.metadata.uid)
  })
  await spoke.client.delete(Deployment, web, { propagationPolicy: 'Foreground' })
  await spoke.eventually('nothing is left', async () => {
    const left = await Promise.all([spoke.list(Pod), spoke.list(ReplicaSet), spoke.client.find(Deployment, web)])
    return left[0].length === 0 && left[1].length === 0 && left[2] === undefined
  })
})
