import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppliedManifestWork } from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, ConfigMap } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { ConnectionError } from '@orrery/kube/transport'
import { unavailable } from '../support/unavailable.js'
import { appliedOf, configMap, holdsData, inDefault, isApplied, says, WorkPair } from './work-pair.js'

const five = (value: string) => [1, 2, 3, 4, 5].map((n) => configMap(`c${n}`, { value }))

async function whenAllHold(pair: WorkPair, value: string): Promise<void> {
  for (const n of [1, 2, 3, 4, 5]) await pair.spoke.when(ConfigMap, inDefault(`c${n}`), holdsData({ value }))
}

test('work faults: an agent that dies while applying leaves nothing that the next one does not know', async (t) => {
  const pair = await WorkPair.start(t)
  const first = await pair.startAgent()
  let creations = 0
  pair.spoke.fault = ({ method, path, signal }) => {
    if (method !== 'POST' || !path.includes('/configmaps')) return undefined
    creations++
    // From the third on, the agent gets no response.
    return creations < 3 ? undefined : until(signal)
  }
  await pair.createWork('w', five('1'))
  await eventually(
    'two are there',
    async () =>
      (
        await pair.spoke.client.list(ConfigMap, {
          namespace: 'default',
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
        })
      ).items.length >= 2,
  )
  await first.close()
  pair.spoke.fault = undefined
  await pair.startAgent()
  await pair.whenApplied('w')
  await whenAllHold(pair, '1')
  await eventually('all are recorded', async () => (await pair.record('w'))?.status?.appliedResources?.length === 5)
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  for (const n of [1, 2, 3, 4, 5]) await pair.spoke.whenGone(ConfigMap, inDefault(`c${n}`))
})

/** A response that never comes. */
function until(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}

test('work faults: a flapping API gets everything in the end, and nothing is taken for lost', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('before', five('1'))
  await pair.whenApplied('before')
  let count = 0
  pair.spoke.fault = () => {
    const turn = count++ % 3
    if (turn === 0) return undefined
    return turn === 1 ? unavailable() : Promise.reject(new ConnectionError('reset', { code: 'ECONNRESET', sent: true }))
  }
  await pair.changeWork('before', { workload: { manifests: five('2') } })
  await pair.createWork('during', [configMap('d', { value: '1' })])
  await whenAllHold(pair, '2')
  await pair.spoke.when(ConfigMap, inDefault('d'))
  pair.spoke.fault = undefined
  await pair.whenApplied('before')
  await pair.whenApplied('during')
  assert.equal((await pair.record('before'))?.status?.appliedResources?.length, 5)
})

test('work faults: applied objects stay applied while the cluster does not answer', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { value: '1' })])
  const before = await pair.whenApplied('w')
  pair.spoke.fault = (request) => (request.method === 'PUT' ? unavailable() : undefined)
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { value: '9' } })
  await eventually('it was tried', () =>
    pair.spoke.requests.some(({ method, status }) => method === 'PUT' && status === 503),
  )
  assert.ok(isApplied(await pair.whenWork('w', () => true)))
  pair.spoke.fault = undefined
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ value: '1' }))
  assert.equal((await pair.whenApplied('w')).metadata.uid, before.metadata.uid)
})

test('work faults: a deleted AppliedManifestWork does not delete objects for good', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { value: '1' })])
  await pair.whenApplied('w')
  await eventually('it is recorded', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
  const record = (await pair.record('w')) as AppliedManifestWork
  await pair.spoke.client.delete(AppliedManifestWork, { name: record.metadata.name })
  await eventually('there is another', async () => {
    const now = await pair.record('w')
    return now !== undefined && now.metadata.uid !== record.metadata.uid && now.status?.appliedResources?.length === 1
  })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ value: '1' }))
})

test('work faults: an agent without watch permission still detects and corrects changes', async (t) => {
  const pair = await WorkPair.start(t)
  const rules = [
    { apiGroups: ['work.open-cluster-management.io'], resources: ['*'], verbs: ['*'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
  ]
  await pair.spoke.client.create(ClusterRole, { metadata: { name: 'agent' }, rules })
  await pair.spoke.client.create(ClusterRoleBinding, {
    metadata: { name: 'agent' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'agent' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'agent' }],
  })
  const options = { pollMilliseconds: 50 }
  await pair.startAgent({ spoke: pair.spoke.asUser('agent'), options })
  await pair.createWork('w', [
    configMap('a', { value: '1' }),
    { apiVersion: 'v1', kind: 'Secret', metadata: inDefault('s'), stringData: { key: 'do-not-tell' } },
  ])
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.equal(appliedOf(work, 0)?.status, 'True')
  assert.match(appliedOf(work, 1)?.message ?? '', /secrets default\/s: .*forbidden.*aggregate-to-work=true/)
  assert.doesNotMatch(JSON.stringify(work.status) + pair.log.join(''), /do-not-tell/)
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { data: { value: '9' } })
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ value: '1' }))
})
