import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_PARTS, scorePart } from '@orrery/agent'
import { ManagedClusterScore } from '@orrery/api'
import { CustomResourceDefinition, Node, Pod } from '@orrery/kinds'
import { defineCalculator } from '@orrery/scores'
import { join, trusting } from '../agent/joining.js'
import { startWorld } from '../agent/spoke.js'

test('agent: writes the scores of its nodes and pods with the gate ClusterScores', async (t) => {
  const { hub, spoke, link } = await startWorld(t, trusting)
  const node = await spoke.addNode('n1', { cpu: '4', memory: '8Gi' })
  const conditions = [{ type: 'Ready', status: 'True' }]
  await spoke.client.patch(Node, { name: 'n1' }, { status: { ...node.status, conditions } }, { subresource: 'status' })
  const resources = { requests: { cpu: '1', memory: '6Gi' } }
  await spoke.client.create(Pod, {
    metadata: { namespace: 'default', name: 'web' },
    spec: { nodeName: 'n1', containers: [{ name: 'web', image: 'example.com/web', resources }] },
  })
  await join(hub, spoke, link, 'c1', { parts: DEFAULT_PARTS, features: { ClusterScores: true } })
  for (const [calculator, score] of [
    ['resourceratiocpu', 75],
    ['resourceratiomemory', 25],
    ['nodehealth', 100],
  ] as const) {
    await hub.when(
      ManagedClusterScore,
      { namespace: 'c1', name: `c1-${calculator}` },
      ({ status }) => status?.score === score,
    )
  }
})

test('scorePart: runs the calculators of a program in the agent', async (t) => {
  const { hub, spoke, link } = await startWorld(t, trusting)
  const namespaces = defineCalculator({
    name: 'Namespaces',
    runsOn: 'cluster',
    calculate: async ({ client, clusterName }) =>
      clusterName.length + (await client.getJson<{ items: unknown[] }>('/api/v1/namespaces')).items.length,
  })
  await join(hub, spoke, link, 'c1', { parts: [scorePart([namespaces])] })
  const { items } = await spoke.client.getJson<{ items: unknown[] }>('/api/v1/namespaces')
  const score = await hub.when(
    ManagedClusterScore,
    { namespace: 'c1', name: 'c1-namespaces' },
    ({ status }) => status?.score !== undefined,
  )
  assert.equal(score.status?.score, 2 + items.length)
})

test('scorePart: refuses a calculator of the hub', () => {
  const onHub = defineCalculator({ name: 'Labels', runsOn: 'hub', calculate: () => 1 })
  assert.throws(
    () => scorePart([onHub as never]),
    /^RangeError: calculator Labels has runsOn "hub" and cannot run with/,
  )
})

test('scorePart: calculates nothing for a hub without ManagedClusterScores', async (t) => {
  const { hub, spoke, link } = await startWorld(t, trusting)
  await hub.stopControllers()
  await hub.client.delete(CustomResourceDefinition, { name: 'managedclusterscores.cluster.open-cluster-management.io' })
  await hub.startControllers()
  const never = defineCalculator({
    name: 'Never',
    runsOn: 'cluster',
    calculate: () => assert.fail('it must not run'),
  })
  await join(hub, spoke, link, 'c1', { parts: [scorePart([never])] })
  await hub.eventually('the part has started', async () => {
    hub.clock.advance(1_000)
    return spoke.log.some((line) => line.includes('the hub does not serve ManagedClusterScores'))
  })
})
