import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManifestWork, WORK_FINALIZER } from '@orrery/api'
import { ClusterRole, ConfigMap } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { CLUSTER, configMap, holdsData, inDefault, WorkPair } from './work-pair.js'

test('work deletion: Foreground deletes the objects', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' }), configMap('b', { x: '1' })])
  await pair.whenApplied('w')
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  await pair.spoke.whenGone(ConfigMap, inDefault('a'))
  await pair.spoke.whenGone(ConfigMap, inDefault('b'))
  assert.equal(await pair.record('w'), undefined)
})

test('work deletion: Orphan keeps the objects, without an owner', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })], { deleteOption: { propagationPolicy: 'Orphan' } })
  await pair.whenApplied('w')
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  const { metadata } = await pair.spoke.client.get(ConfigMap, inDefault('a'))
  assert.equal(metadata.ownerReferences, undefined)
})

test('work deletion: SelectivelyOrphan keeps the objects that it lists', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const orphaningRules = [{ resource: 'configmaps', namespace: 'default', name: 'a' }]
  await pair.createWork('w', [configMap('a', { x: '1' }), configMap('b', { x: '1' })], {
    deleteOption: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } },
  })
  await pair.whenApplied('w')
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  await pair.spoke.whenGone(ConfigMap, inDefault('b'))
  await pair.spoke.client.get(ConfigMap, inDefault('a'))
})

test('work deletion: an object removed from a work stays if it is orphaned', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' }), configMap('b', { x: '1' })], {
    deleteOption: { propagationPolicy: 'Orphan' },
  })
  await pair.whenApplied('w')
  await pair.changeWork('w', { workload: { manifests: [configMap('a', { x: '2' })] } })
  await eventually('it is released', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
  await pair.spoke.client.get(ConfigMap, inDefault('b'))
})

test('work deletion: SelectivelyOrphan matches by group, namespace and name', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const role = (name: string) => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name },
    rules: [],
  })
  const orphaningRules = [
    { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', name: 'stays' },
    { group: 'example.com', resource: 'configmaps', namespace: 'default', name: 'a' },
    { resource: 'configmaps', namespace: 'elsewhere', name: 'a' },
  ]
  await pair.createWork('w', [role('stays'), role('goes'), configMap('a', { x: '1' })], {
    deleteOption: { propagationPolicy: 'SelectivelyOrphan', selectivelyOrphans: { orphaningRules } },
  })
  await pair.whenApplied('w')
  await pair.deleteWork('w')
  await pair.whenWorkGone('w')
  await pair.spoke.whenGone(ConfigMap, inDefault('a'))
  await pair.spoke.whenGone(ClusterRole, { name: 'goes' })
  assert.equal((await pair.spoke.client.get(ClusterRole, { name: 'stays' })).metadata.ownerReferences, undefined)
})

test('work deletion: a recreated work of the same name is another work', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  for (const round of ['1', '2', '3']) {
    await pair.createWork('w', [configMap(`m${round}`, { round }), configMap('same', { round })])
    const work = await pair.whenApplied('w')
    assert.deepEqual(
      work.status?.resourceStatus?.manifests?.map(({ resourceMeta }) => resourceMeta.name),
      [`m${round}`, 'same'],
    )
    await pair.spoke.when(ConfigMap, inDefault('same'), holdsData({ round }))
    await pair.deleteWork('w')
    await pair.whenWorkGone('w')
    assert.equal(await pair.spoke.client.find(ConfigMap, inDefault(`m${round}`)), undefined)
    assert.equal(await pair.spoke.client.find(ConfigMap, inDefault('same')), undefined)
  }
})

test('work deletion: orphaning set just before the deletion takes effect', async (t) => {
  const pair = await WorkPair.start(t)
  const agent = await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await eventually('it is recorded', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
  await agent.close()
  await pair.changeWork('w', { deleteOption: { propagationPolicy: 'Orphan' } })
  await pair.deleteWork('w')
  await pair.startAgent()
  await pair.whenWorkGone('w')
  await pair.spoke.client.get(ConfigMap, inDefault('a'))
})

test('work deletion: reports what blocks it, and completes when that is gone', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('w', [
    configMap('a', { x: '1' }, { finalizers: ['example.com/hold'] }),
    configMap('b', { x: '1' }),
  ])
  await pair.whenApplied('w')
  await pair.deleteWork('w')
  const work = await pair.whenWork('w', ({ status }) =>
    /waiting for/.test(findCondition(status?.conditions, 'Deleting')?.message ?? ''),
  )
  const deleting = findCondition(work.status?.conditions, 'Deleting')
  assert.equal(deleting?.status, 'True')
  assert.equal(deleting?.reason, 'WorkDeleting')
  assert.match(deleting?.message ?? '', /configmaps default\/a \(finalizers example\.com\/hold\)/)
  await pair.spoke.whenGone(ConfigMap, inDefault('b'))
  await pair.spoke.client.patch(ConfigMap, inDefault('a'), { metadata: { finalizers: null } })
  await pair.whenWorkGone('w')
})

test('work deletion: an object of two works is deleted with the last of them', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  await pair.createWork('one', [configMap('shared', { x: '1' })])
  await pair.createWork('two', [configMap('shared', { x: '1' })])
  await pair.whenApplied('one')
  await pair.whenApplied('two')
  await pair.spoke.when(ConfigMap, inDefault('shared'), ({ metadata }) => metadata.ownerReferences?.length === 2)
  await pair.deleteWork('one')
  await pair.whenWorkGone('one')
  const { metadata } = await pair.spoke.client.get(ConfigMap, inDefault('shared'))
  assert.equal(metadata.ownerReferences?.length, 1)
  await pair.deleteWork('two')
  await pair.whenWorkGone('two')
  await pair.spoke.whenGone(ConfigMap, inDefault('shared'))
})

test('work deletion: an agent with another name finalizes the works that it started', async (t) => {
  const pair = await WorkPair.start(t)
  const first = await pair.startAgent({ agentId: 'one' })
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await eventually('it is recorded', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
  await first.close()
  await pair.deleteWork('w')
  await pair.startAgent({ agentId: 'two' })
  await pair.whenWorkGone('w')
  await pair.spoke.whenGone(ConfigMap, inDefault('a'))
})

test('work deletion: another object of the same name stays', async (t) => {
  const pair = await WorkPair.start(t)
  const agent = await pair.startAgent()
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.whenApplied('w')
  await eventually('it is recorded', async () => (await pair.record('w'))?.status?.appliedResources?.length === 1)
  await agent.close()
  await pair.spoke.client.delete(ConfigMap, inDefault('a'))
  await pair.spoke.client.create(ConfigMap, { metadata: inDefault('a'), data: { mine: 'yes' } })
  await pair.deleteWork('w')
  await pair.startAgent()
  await pair.whenWorkGone('w')
  await pair.spoke.when(ConfigMap, inDefault('a'), holdsData({ mine: 'yes' }))
})

test('work deletion: releases a work that was never applied', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.createWork('w', [configMap('a', { x: '1' })])
  await pair.hub.client.patch(
    ManifestWork,
    { namespace: CLUSTER, name: 'w' },
    { metadata: { finalizers: [WORK_FINALIZER] } },
  )
  await pair.deleteWork('w')
  await pair.startAgent()
  await pair.whenWorkGone('w')
})

test('work deletion: a work deleted while it is applied leaves nothing behind', async (t) => {
  const pair = await WorkPair.start(t)
  await pair.startAgent()
  const names = Array.from({ length: 20 }, (_, n) => `w${n}`)
  await Promise.all(
    names.map(async (name) => {
      await pair.createWork(name, [configMap(`${name}-a`, { x: '1' }), configMap(`${name}-b`, { x: '1' })])
      await pair.deleteWork(name)
    }),
  )
  for (const name of names) await pair.whenWorkGone(name)
  for (const name of names) {
    await pair.spoke.whenGone(ConfigMap, inDefault(`${name}-a`))
    await pair.spoke.whenGone(ConfigMap, inDefault(`${name}-b`))
    assert.equal(await pair.record(name), undefined)
  }
})
