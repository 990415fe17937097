import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigMap } from '@orrery/kinds'
import { notFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import { apiClient } from '../api/api-client.js'
import { type FakeReply, startApi } from '../api/server.fixture.js'
import { leastLoaded, roundRobin } from './choice.js'
import { configMapConsumer, staticConsumer } from './consumer.js'
import { type DynamicConsumerOptions, dynamicConsumer } from './dynamic.js'

test('staticConsumer: reads MANAGEMENT_CLUSTER_CONSUMER', async () => {
  const target = staticConsumer({ MANAGEMENT_CLUSTER_CONSUMER: 'us-east-mgmt-01' })
  assert.equal(await target.consumerFor('abc123'), 'us-east-mgmt-01')
})

test('staticConsumer: names the variable that is missing or wrong', async () => {
  const missing = 'MANAGEMENT_CLUSTER_CONSUMER is not set: set it to the name of the management cluster'
  await assert.rejects(staticConsumer({}).consumerFor('a'), { message: missing, code: 'hyperfleet-adapter-17' })
  await assert.rejects(staticConsumer({ MANAGEMENT_CLUSTER_CONSUMER: 'US East' }).consumerFor('a'), {
    message: 'MANAGEMENT_CLUSTER_CONSUMER is not the name of a management cluster: "US East"',
  })
})

function configMaps(data: Record<string, string> | undefined): KubeClient {
  const get = async (kind: unknown) => {
    assert.equal(kind, ConfigMap)
    if (data === undefined) throw notFound({ group: '', resource: 'configmaps' }, 'adapter')
    return { data }
  }
  return { get } as unknown as KubeClient
}

test('configMapConsumer: reads the key of a ConfigMap and names what is missing', async () => {
  const target = (data: Record<string, string> | undefined) =>
    configMapConsumer({ client: configMaps(data), namespace: 'hyperfleet', name: 'adapter' })
  assert.equal(await target({ management_cluster_consumer: 'm1' }).consumerFor('a'), 'm1')
  await assert.rejects(target({}).consumerFor('a'), {
    message:
      'data[management_cluster_consumer] of ConfigMap hyperfleet/adapter is not set: set it to the name of the management cluster',
  })
  await assert.rejects(target(undefined).consumerFor('a'), {
    message: 'ConfigMap hyperfleet/adapter does not exist: create it with the key management_cluster_consumer',
  })
})

const cluster = (name: string, used?: number, capacity?: number) => ({
  name,
  ...(used === undefined ? {} : { used }),
  ...(capacity === undefined ? {} : { capacity }),
})

test('roundRobin: chooses each cluster in turn while clusters come and go', () => {
  const next = roundRobin()
  const [a, b, c] = [cluster('a'), cluster('b'), cluster('c')]
  const names = [
    [a, b, c],
    [a, b, c],
    [a, c],
    [a, b, c],
    [b, c],
  ].map((clusters) => next(clusters)?.name)
  assert.deepEqual(names, ['a', 'b', 'c', 'a', 'b'])
  assert.equal(next([]), undefined)
})

test('leastLoaded: chooses the most free capacity and no cluster that is 90 % full', () => {
  assert.equal(leastLoaded([cluster('a', 10, 20), cluster('b', 70, 90)])?.name, 'b')
  assert.equal(leastLoaded([cluster('a', 900, 1_000), cluster('b', 9, 12)])?.name, 'b')
  assert.equal(leastLoaded([cluster('a', 9, 10)]), undefined)
  assert.equal(leastLoaded([cluster('a', 7), cluster('b', 3)])?.name, 'b')
})

async function regional(
  t: Parameters<typeof startApi>[0],
  reply: FakeReply,
  options: Partial<DynamicConsumerOptions> = {},
) {
  const api = await startApi(t, () => reply)
  return { api, target: dynamicConsumer({ api: apiClient({ baseUrl: api.url }), region: 'us-east', ...options }) }
}

test('dynamicConsumer: asks for healthy clusters of the region and keeps the choice of a resource', async (t) => {
  const body = [cluster('m2', 1, 9), cluster('m1', 5, 9), { ...cluster('m0', 0, 9), status: 'unhealthy' }]
  const { api, target } = await regional(t, { status: 200, body })
  assert.equal(await target.consumerFor('abc123'), 'm2')
  assert.equal(await target.consumerFor('abc123'), 'm2')
  assert.deepEqual(
    api.requests.map(({ url }) => url),
    ['/api/v1/management-clusters?region=us-east&status=healthy'],
  )
})

test('dynamicConsumer: takes clusters in turn, and the assigned one first', async (t) => {
  const body = { items: [cluster('m2'), cluster('m1')] }
  const assigned = async (id: string) => (id === 'old' ? 'm9' : undefined)
  const { target } = await regional(t, { status: 200, body }, { choice: 'round-robin', assigned })
  const chosen: string[] = []
  for (const id of ['a', 'old', 'b', 'c', 'a']) chosen.push(await target.consumerFor(id))
  assert.deepEqual(chosen, ['m1', 'm9', 'm2', 'm1', 'm1'])
})

test('dynamicConsumer: reports a region without clusters and an answer that is not a list', async (t) => {
  const empty = await regional(t, { status: 200, body: [] })
  await assert.rejects(empty.target.consumerFor('a'), /region "us-east" has no healthy management cluster: /)
  const full = await regional(t, { status: 200, body: [cluster('m1', 9, 9)] })
  await assert.rejects(full.target.consumerFor('a'), /region "us-east" has no management cluster with room: /)
  const broken = await regional(t, { status: 200, body: [{}] })
  await assert.rejects(broken.target.consumerFor('a'), /items\[0\]\.name: Required value/)
  const missing = await regional(t, { status: 404, body: { code: 'HYPERFLEET-NTF-000' } })
  await assert.rejects(missing.target.consumerFor('a'), /returned 404: .*HYPERFLEET-NTF-000/)
})
