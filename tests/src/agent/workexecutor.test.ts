import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterRole, ClusterRoleBinding, ConfigMap, Role } from '@orrery/kube/kinds'
import { FakeClock } from '@orrery/kube/testing'
import { appliedOf, configMap, eventually, inDefault, type Side, says, WorkPair } from './workpair.js'

const executor = {
  subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'robot' } },
} as const

async function allow(spoke: Side, verbs: readonly string[], resources: readonly string[], group = ''): Promise<void> {
  const name = `robot-${resources.join('-')}`
  await spoke.client.apply(
    ClusterRole,
    { metadata: { name }, rules: [{ apiGroups: [group], resources: [...resources], verbs: [...verbs] }] },
    { fieldManager: 'test', force: true },
  )
  await spoke.client.apply(
    ClusterRoleBinding,
    {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'robot' }],
    },
    { fieldManager: 'test', force: true },
  )
}

const ALL_VERBS = ['create', 'update', 'patch', 'get', 'delete']

test('an executor that may do all has the work applied', async (t) => {
  const pair = await WorkPair.start(t)
  await allow(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  await pair.whenApplied('w')
})

test('an executor that may not is refused, and asked about again after a minute', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  await allow(pair.spoke, ['create', 'update', 'patch', 'get'], ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /not allowed to apply the resource {2}configmaps, default a/)
  assert.match(appliedOf(work, 0)?.message ?? '', /let system:serviceaccount:default:robot delete it/)
  assert.equal(await pair.spoke.client.find(ConfigMap, inDefault('a')), undefined)
  await allow(pair.spoke, ALL_VERBS, ['configmaps'])
  clock.advance(60_000)
  await pair.whenApplied('w')
})

test('an executor need not be allowed to delete what stays behind', async (t) => {
  const pair = await WorkPair.start(t)
  await allow(pair.spoke, ['create', 'update', 'patch', 'get'], ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor, deleteOption: { propagationPolicy: 'Orphan' } })
  await pair.whenApplied('w')
})

test('an executor cannot give itself more than it has', async (t) => {
  const pair = await WorkPair.start(t)
  await allow(pair.spoke, ALL_VERBS, ['roles'], 'rbac.authorization.k8s.io')
  await pair.startAgent()
  const role = (resource: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: inDefault('more'),
    rules: [{ apiGroups: [''], resources: [resource], verbs: ['get'] }],
  })
  await pair.createWork('w', [role('secrets')], { executor })
  const work = await pair.whenWork('w', (work) => says(work, 'Applied', 'False'))
  assert.match(appliedOf(work, 0)?.message ?? '', /permission escalation/)
  assert.equal(await pair.spoke.client.find(Role, inDefault('more')), undefined)
  await allow(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.changeWork('w', { workload: { manifests: [role('configmaps')] } })
  await pair.whenApplied('w')
})

test('a right that is taken away is noticed', async (t) => {
  const clock = new FakeClock()
  const pair = await WorkPair.start(t, { clock })
  await allow(pair.spoke, ALL_VERBS, ['configmaps'])
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { executor })
  await pair.whenApplied('w')
  await allow(pair.spoke, ['get'], ['configmaps'])
  await eventually('the work is refused', async () => {
    clock.advance(60_000)
    return says(await pair.whenWork('w', () => true), 'Applied', 'False')
  })
  await pair.spoke.client.get(ConfigMap, inDefault('a'))
})
