import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { Deployment, type JsonObject, type KubeObject, Pod, ReplicaSet, StatefulSet } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { KubeClient, ownerReferenceTo } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { AGENT, allow, ROBOT } from './allowing.js'
import { conditionTextsOf, manifestConditionTexts } from './statusreading.js'
import { manifestOf, type Side, WorkPair } from './work-pair.js'

const REVISION = 'deployment.kubernetes.io/revision'
const podSpec = { containers: [{ name: 'app', image: 'i' }] }

function deployment(name: string): KubeObject {
  const labels = { app: name }
  const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'default', name }, spec }
}

/** What the controllers of a cluster create for a Deployment: a ReplicaSet for a revision, and a pod of it. */
async function rollOut(spoke: Side, name: string, revision: string, podStatus: object): Promise<Pod> {
  const ref = { namespace: 'default', name }
  const annotations = { [REVISION]: revision }
  const owner = await spoke.client.patch(Deployment, ref, { metadata: { annotations } })
  const { generation = 1 } = owner.metadata
  const status = { observedGeneration: generation, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 }
  await spoke.client.patch(Deployment, ref, { status } as JsonObject, { subresource: 'status' })
  const labels = { app: name, revision }
  const replicaSet = await spoke.client.create(ReplicaSet, {
    metadata: {
      namespace: 'default',
      name: `${name}-${revision}`,
      labels,
      annotations,
      ownerReferences: [ownerReferenceTo(owner, Deployment, { controller: true })],
    },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } },
  })
  return makePod(spoke, ownerReferenceTo(replicaSet, ReplicaSet, { controller: true }), labels, podStatus)
}

async function makePod(
  spoke: Side,
  owner: NonNullable<KubeObject['metadata']['ownerReferences']>[number],
  labels: Record<string, string>,
  status: object,
): Promise<Pod> {
  const ref = { namespace: 'default', name: `${owner.name}-x` }
  await spoke.client.create(Pod, { metadata: { ...ref, labels, ownerReferences: [owner] }, spec: podSpec })
  return spoke.client.patch(Pod, ref, { status } as JsonObject, { subresource: 'status' })
}

const container = (state: object, rest: object = {}) => ({
  phase: 'Pending',
  containerStatuses: [{ name: 'app', image: 'i', imageID: '', ready: false, restartCount: 0, state, ...rest }],
})
const waiting = (reason: string, message = '', rest: object = {}) => container({ waiting: { reason, message } }, rest)
const exited = { exitCode: 3, reason: 'Error' }
const unschedulable = {
  phase: 'Pending',
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/1 nodes are available: 1 Insufficient cpu.',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    },
  ],
}

/** The status of a pod, its report, and whether the rollout has failed. */
const REASONS: readonly (readonly [status: object, text: string, reason: 'Failed' | 'Applying'])[] = [
  [
    waiting('CrashLoopBackOff', 'back-off 10s', { lastState: { terminated: exited }, restartCount: 2 }),
    'container app is waiting: CrashLoopBackOff: exited with code 3 (Error), 2 restarts',
    'Failed',
  ],
  [
    waiting('ImagePullBackOff', 'Back-off pulling image "i"'),
    'container app is waiting: ImagePullBackOff: Back-off pulling image "i"',
    'Failed',
  ],
  [waiting('ErrImagePull', 'no such host'), 'container app is waiting: ErrImagePull: no such host', 'Applying'],
  [
    waiting('CreateContainerConfigError', 'configmap "c" not found'),
    'container app is waiting: CreateContainerConfigError: configmap "c" not found',
    'Applying',
  ],
  [unschedulable, 'the pod is not scheduled: Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.', 'Applying'],
  [container({ terminated: exited }), 'container app: exited with code 3 (Error)', 'Applying'],
]

const isTold = (text: string) => (work: ManifestWork) =>
  ['Progressing', 'Degraded'].every(
    (type) => conditionTextsOf(work)[type]?.startsWith('True') && conditionTextsOf(work)[type]?.includes(text),
  )

for (const [status, text, reason] of REASONS) {
  test(`WorkloadPods: reports "${text}" for a Deployment`, async (t) => {
    const pair = await WorkPair.start(t)
    await pair.startAgent()
    await pair.createWork('w', [deployment('web')])
    await pair.whenApplied('w')
    await rollOut(pair.spoke, 'web', '1', status)
    const work = await pair.whenWork('w', isTold(text))
    const whole = `0 of 1 replicas are available: pod web-1-x: ${text}`
    assert.deepEqual(
      [conditionTextsOf(work).Progressing, conditionTextsOf(work).Degraded],
      [`True ${reason}: Deployment default/web: ${whole}`, `True Failed: Deployment default/web: ${whole}`],
    )
    assert.equal(manifestConditionTexts(work).Degraded, `True Failed: ${whole}`)
    // Upstream's tests count the conditions of a manifest.
    const types = manifestOf(work, 0)?.conditions.map(({ type }) => type)
    assert.deepEqual(types?.toSorted(), ['Applied', 'Available', 'Degraded', 'Progressing', 'StatusFeedbackSynced'])
  })
}

/** A client that counts open watches of pods and ReplicaSets. */
function countingWatches(client: KubeClient): { readonly client: KubeClient; readonly open: Set<string> } {
  const open = new Set<string>()
  const counting = new KubeClient({
    request: async (request) => {
      const response = await client.transport.request(request)
      if (/\/(pods|replicasets)\?.*watch=/.test(request.path)) {
        open.add(request.path)
        request.signal?.addEventListener('abort', () => open.delete(request.path))
      }
      return response
    },
  })
  return { client: counting, open }
}

test('WorkloadPods: watches pods only while a workload is not ready', async (t) => {
  const pair = await WorkPair.start(t)
  const { client, open } = countingWatches(pair.spoke.forAgent)
  await pair.startAgent({ spoke: client })
  await pair.createWork('maps', [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'm' } },
  ])
  await pair.whenApplied('maps')
  assert.equal(open.size, 0)
  await pair.createWork('w', [deployment('web')])
  await pair.whenApplied('w')
  await eventually('pods are watched', () => open.size >= 2)
  assert.ok([...open].every((path) => path.includes('labelSelector=app%3Dweb')))
  await rollOut(pair.spoke, 'web', '1', waiting('ImagePullBackOff'))
  await pair.whenWork('w', isTold('ImagePullBackOff'))
  const status = { replicas: 1, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1, unavailableReplicas: 0 }
  const ref = { namespace: 'default', name: 'web' }
  await pair.spoke.client.patch(Deployment, ref, { status } as JsonObject, { subresource: 'status' })
  const work = await pair.whenWork('w', (work) => conditionTextsOf(work).Progressing?.startsWith('False') === true)
  assert.equal(conditionTextsOf(work).Degraded, 'False AsExpected: No resource is degraded')
  await eventually('no pods are watched', () => open.size === 0)
})

test('WorkloadPods: many workloads of a namespace share a watch', async (t) => {
  const pair = await WorkPair.start(t)
  const { client, open } = countingWatches(pair.spoke.forAgent)
  await pair.startAgent({ spoke: client })
  const names = Array.from({ length: 12 }, (_, index) => `web${index}`)
  await pair.createWork('w', names.map(deployment))
  await pair.whenApplied('w')
  await Promise.all(names.map((name) => rollOut(pair.spoke, name, '1', waiting('ImagePullBackOff'))))
  await pair.whenWork('w', (work) =>
    names.every((_, ordinal) => manifestConditionTexts(work, ordinal).Degraded?.includes('ImagePullBackOff')),
  )
  await eventually('there is one watch of pods and one of ReplicaSets', () => open.size === 2)
  assert.ok([...open].every((path) => path.includes('/namespaces/default/') && !path.includes('labelSelector')))
})

test('WorkloadPods: ignores pods of an earlier revision', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [deployment('web')])
  await pair.whenApplied('w')
  await rollOut(pair.spoke, 'web', '1', waiting('CrashLoopBackOff', 'old'))
  await pair.whenWork('w', isTold('CrashLoopBackOff'))
  await rollOut(pair.spoke, 'web', '2', waiting('ContainerCreating'))
  const expected = 'True Applying: Deployment default/web: 0 of 1 replicas are available'
  await pair.whenWork('w', (work) => {
    const { Progressing, Degraded } = conditionTextsOf(work)
    return Progressing === expected && Degraded === 'False AsExpected: No resource is degraded'
  })
})

test("WorkloadPods: reports the problem of a StatefulSet's pods", async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const { spec, metadata } = deployment('db')
  await pair.createWork('w', [
    { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata, spec: { ...(spec as object), serviceName: 'db' } },
  ])
  await pair.whenApplied('w')
  const ref = { namespace: 'default', name: 'db' }
  const status = { observedGeneration: 1, replicas: 1, updateRevision: 'a', currentRevision: 'a' }
  const owner = await pair.spoke.client.patch(StatefulSet, ref, { status } as JsonObject, { subresource: 'status' })
  const labels = { app: 'db', 'controller-revision-hash': 'a' }
  const reference = ownerReferenceTo(owner, StatefulSet, { controller: true })
  await makePod(pair.spoke, reference, labels, waiting('ImagePullBackOff'))
  await pair.whenWork('w', isTold('0 of 1 replicas are ready: pod db-x: container app is waiting: ImagePullBackOff'))
})

test('WorkloadPods: reports a missing list permission of the executor, and nothing of the pods', async (t) => {
  const pair = await WorkPair.start(t)
  const verbs = ['create', 'update', 'patch', 'get', 'delete']
  await allow(pair.spoke, ROBOT, [{ apiGroups: ['apps'], resources: ['deployments'], verbs }])
  await pair.startAgent()
  const subject = { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'robot' } } as const
  await pair.createWork('w', [deployment('web')], { executor: { subject } })
  await pair.whenApplied('w')
  await rollOut(pair.spoke, 'web', '1', waiting('CrashLoopBackOff', 'open-sesame'))
  const work = await pair.whenWork('w', (work) => conditionTextsOf(work).Progressing?.includes('its pods: ') === true)
  assert.match(
    conditionTextsOf(work).Progressing ?? '',
    /0 of 1 replicas are available; its pods: not allowed to read .*let system:serviceaccount:default:robot list pods by/,
  )
  assert.doesNotMatch(JSON.stringify(work.status), /CrashLoopBackOff|open-sesame|web-1/)
})

test("WorkloadPods: reports the workload's status if the agent may not list pods", async (t) => {
  const pair = await WorkPair.start(t)
  const own = ['work.open-cluster-management.io', 'apiextensions.k8s.io']
  await allow(pair.spoke, AGENT, [
    { apiGroups: own, resources: ['*'], verbs: ['*'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['*'] },
  ])
  await pair.startAgent({ spoke: pair.spoke.asUser('agent') })
  await pair.createWork('w', [deployment('web')])
  await pair.whenApplied('w')
  await rollOut(pair.spoke, 'web', '1', waiting('CrashLoopBackOff'))
  const work = await pair.whenWork(
    'w',
    (work) => conditionTextsOf(work).Progressing?.includes('are available') === true,
  )
  assert.equal(
    conditionTextsOf(work).Progressing,
    'True Applying: Deployment default/web: 0 of 1 replicas are available',
  )
  assert.equal(findCondition(work.status?.conditions, 'Degraded')?.status, 'False')
})
