import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AddonAgent } from '@orrery/addon/agent'
import {
  AddOnPlacementScore,
  addOnConverters,
  ClusterClaim,
  hubCrds,
  ManagedClusterAddOn,
  spokeCrds,
} from '@orrery/api'
import { FakeClock, startTestServer } from '@orrery/apiserver/testing'
import { ConfigMap, Namespace, Pod } from '@orrery/kinds'
import { silentLogger } from '@orrery/kube/log'
import { ensureCrds } from '@orrery/kube/write'
import { observe, type ReportedPod } from './observe.js'
import { firstPods, reportAll } from './reports.js'

const settings = { intervalSeconds: 60, podLimit: 100 }

/** A hub and a managed cluster in one server. */
async function start(t: TestContext): Promise<AddonAgent> {
  const clock = new FakeClock()
  const { client, close } = await startTestServer({ converters: addOnConverters, clock })
  t.after(close)
  const kinds = [ManagedClusterAddOn.kind, AddOnPlacementScore.kind, ClusterClaim.kind]
  const crds = [...hubCrds(), ...spokeCrds()].filter(({ spec }) => kinds.includes(spec.names.kind))
  await ensureCrds(client, crds, { fieldManager: 'test' })
  await client.create(Namespace, { metadata: { name: 'c1' } })
  await client.create(ManagedClusterAddOn, { metadata: { namespace: 'c1', name: 'basic-addon' }, spec: {} })
  const { signal } = new AbortController()
  const names = { addonName: 'basic-addon', clusterName: 'c1', addonNamespace: 'default' }
  return { ...names, hub: client, managed: client, clock, log: silentLogger, signal }
}

const pods = (count: number): ReportedPod[] =>
  Array.from({ length: count }, (_, index) => ({ name: `pod-${index}`, namespace: 'default', status: 'Running' }))

test('observe: counts pods and namespaces, and reads the version', async (t) => {
  const agent = await start(t)
  const spec = { nodeName: 'n1', containers: [{ name: 'web', image: 'example.com/web' }] }
  await agent.managed.create(Pod, { metadata: { namespace: 'default', name: 'web' }, spec })
  const seen = await observe(agent.managed, agent.signal)
  const { items } = await agent.managed.list(Namespace)
  assert.deepEqual(seen.pods, [{ name: 'web', namespace: 'default', status: 'Pending', nodeName: 'n1' }])
  assert.equal(seen.namespaceCount, items.length)
  assert.match(seen.version, /^v1\.\d+\.\d+/)
})

test('reportAll: reports in the four ways of the agent, with the names of the strategies', async (t) => {
  const agent = await start(t)
  const { hub } = agent
  await reportAll(agent, { pods: pods(3), namespaceCount: 5, version: 'v1.34.0' }, settings)
  const configMap = await hub.get(ConfigMap, { namespace: 'c1', name: 'pod-report' })
  assert.deepEqual(JSON.parse(configMap.data?.report ?? ''), {
    clusterName: 'c1',
    timestamp: '2030-01-01T00:00:00Z',
    totalPods: 3,
    pods: pods(3),
  })
  const condition = async () => {
    const { status } = await hub.get(ManagedClusterAddOn, { namespace: 'c1', name: 'basic-addon' })
    const { status: value, reason, message } = status?.conditions?.find(({ type }) => type === 'PodCountHealthy') ?? {}
    return [value, reason, message]
  }
  assert.deepEqual(await condition(), ['True', 'PodCountWithinLimit', 'Cluster has 3 pods (healthy)'])
  const score = await hub.get(AddOnPlacementScore, { namespace: 'c1', name: 'basic-addon-score' })
  assert.deepEqual(score.status, {
    scores: [
      { name: 'namespaceCount', value: 80 },
      { name: 'podCount', value: 97 },
    ],
    validUntil: '2030-01-01T00:03:00Z',
  })
  const claim = await agent.managed.get(ClusterClaim, { name: 'basic-addon.k8s-version' })
  assert.equal(claim.spec?.value, 'v1.34.0')
  await reportAll(agent, { pods: pods(101), namespaceCount: 5, version: 'v1.34.0' }, settings)
  assert.deepEqual(await condition(), ['False', 'PodCountExceedsLimit', 'Cluster has 101 pods (exceeds 100 limit)'])
})

test('reportAll: reports the rest if one report fails, and what failed', async (t) => {
  const agent = await start(t)
  const seen = { pods: pods(1), namespaceCount: 1, version: 'x'.repeat(2_000) }
  await assert.rejects(reportAll(agent, seen, settings), /claim "basic-addon.k8s-version": value has 2000 characters/)
  await agent.hub.get(ConfigMap, { namespace: 'c1', name: 'pod-report' })
  await agent.hub.get(AddOnPlacementScore, { namespace: 'c1', name: 'basic-addon-score' })
})

test('reportAll: a report of more pods than fit says how many are omitted', async (t) => {
  const agent = await start(t)
  const seen = { pods: pods(20_000), namespaceCount: 1, version: 'v1.34.0' }
  await reportAll(agent, seen, settings)
  const { data } = await agent.hub.get(ConfigMap, { namespace: 'c1', name: 'pod-report' })
  const report = JSON.parse(data?.report ?? '') as { totalPods: number; omittedPods: number; pods: unknown[] }
  assert.deepEqual([report.totalPods, report.pods.length + report.omittedPods], [20_000, 20_000])
  assert.ok(report.omittedPods > 0)
})

test('firstPods: keeps the first by namespace and name', () => {
  const all = [{ name: 'b', namespace: 'x', status: '' }, ...pods(1), { name: 'a', namespace: 'x', status: '' }]
  assert.deepEqual(
    firstPods(all, 1_000).map(({ name }) => name),
    ['pod-0', 'a', 'b'],
  )
  assert.deepEqual(
    firstPods(all, 100).map(({ name }) => name),
    ['pod-0', 'a'],
  )
})
