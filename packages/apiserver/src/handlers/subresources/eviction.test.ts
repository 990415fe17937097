import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { PathClient } from '../../testing/path-client.fixture.js'
import { failureOf, testServer } from '../../testing/test-server.fixture.js'

const PODS = '/api/v1/namespaces/default/pods'
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets'

async function runningPod(client: PathClient, name: string): Promise<void> {
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] }
  await client.create(PODS, { metadata: { name, labels: { app: 'a' } }, spec })
  const conditions = [{ type: 'Ready', status: 'True' }]
  await client.patch(`${PODS}/${name}/status`, { status: { phase: 'Running', conditions } })
}

async function budget(client: PathClient, disruptionsAllowed: number): Promise<void> {
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } }
  const { metadata } = await client.create(BUDGETS, { metadata: { name: 'b' }, spec })
  const status = {
    disruptionsAllowed,
    observedGeneration: metadata.generation,
    currentHealthy: 3,
    desiredHealthy: 3 - disruptionsAllowed,
    expectedPods: 3,
  }
  await client.patch(`${BUDGETS}/b/status`, { status })
}

const evict = (client: PathClient, name: string, apiVersion = 'policy/v1') =>
  client.create(`${PODS}/${name}/eviction`, { apiVersion, kind: 'Eviction', metadata: { name } })

test('evictPod: shares a budget between concurrent evictions without exceeding it', async (t) => {
  const { client } = await testServer(t)
  const names = ['p1', 'p2', 'p3']
  for (const name of names) await runningPod(client, name)
  await budget(client, 2)
  const outcomes = await Promise.allSettled(names.map((name) => evict(client, name)))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 2)
  const refused = await failureOf(Promise.all(names.map((name) => evict(client, name))))
  assert.equal(refused.code, 429)
  const { status } = await client.get<KubeObject>(`${BUDGETS}/b`)
  assert.equal((status as { disruptionsAllowed: number }).disruptionsAllowed, 0)
})

test('evictPod: checks the pod name in both versions', async (t) => {
  const { client } = await testServer(t)
  await runningPod(client, 'p')
  const misnamed = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'q' } }
  assert.equal((await failureOf(client.create(`${PODS}/p/eviction`, misnamed))).code, 400)
  assert.equal((await failureOf(evict(client, 'p', 'apps/v1'))).code, 400)
  await evict(client, 'p', 'policy/v1beta1')
  const { metadata, status } = await client.get<KubeObject>(`${PODS}/p`)
  assert.equal(metadata.deletionGracePeriodSeconds, 30)
  const { conditions } = status as { conditions: { type: string; status: string; reason?: string }[] }
  const [ready, target] = conditions
  assert.equal(ready?.status, 'True')
  assert.deepEqual([target?.type, target?.reason], ['DisruptionTarget', 'EvictionByEvictionAPI'])
})

test('evictPod: checks the UID and resourceVersion preconditions', async (t) => {
  const { client } = await testServer(t)
  await runningPod(client, 'p')
  const before = await client.get<KubeObject>(`${PODS}/p`)
  const evictIf = (preconditions: object) =>
    client.create(`${PODS}/p/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: 'p' },
      deleteOptions: { preconditions },
    })
  assert.equal((await failureOf(evictIf({ uid: 'other' }))).code, 409)
  assert.equal((await failureOf(evictIf({ resourceVersion: '1' }))).code, 409)
  assert.deepEqual(await client.get<KubeObject>(`${PODS}/p`), before)
  await evictIf({ uid: before.metadata.uid, resourceVersion: before.metadata.resourceVersion })
  const { metadata } = await client.get<KubeObject>(`${PODS}/p`)
  assert.notEqual(metadata.deletionTimestamp, undefined)
})

test('evictPod: does not use the budget in a dry run', async (t) => {
  const { client } = await testServer(t)
  await runningPod(client, 'p')
  await budget(client, 1)
  await client.create(`${PODS}/p/eviction?dryRun=All`, { metadata: { name: 'p' } })
  const { status } = await client.get<KubeObject>(`${BUDGETS}/b`)
  assert.equal((status as { disruptionsAllowed: number }).disruptionsAllowed, 1)
  assert.equal((await client.get(`${PODS}/p`)).metadata.deletionTimestamp, undefined)
})

test('evictPod: does not compile the selectors of all budgets and lets other work run in between', async (t) => {
  const { client } = await testServer(t)
  await runningPod(client, 'p')
  const values = Array.from({ length: 60_000 }, (_, i) => `v${i}`)
  const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] }
  for (let i = 0; i < 30; i++) await client.create(BUDGETS, { metadata: { name: `b${i}` }, spec: { selector } })
  let rounds = 0
  const count = setInterval(() => rounds++, 1)
  const begin = process.cpuUsage().user
  await evict(client, 'p')
  clearInterval(count)
  assert.ok(process.cpuUsage().user - begin < 1_500_000, `${process.cpuUsage().user - begin} µs`)
  assert.ok(rounds > 2, `${rounds} turns of the event loop`)
})
