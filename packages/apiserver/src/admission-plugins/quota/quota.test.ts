import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { quotaStatus } from '../../controllers/quota-status.js'
import { CONFIG_MAPS, RESOURCE_QUOTAS, SERVICES } from '../../controllers/resources.js'
import { type InnerServer, startInnerServer } from '../../testing/inner-server.fixture.js'

const PODS = { group: '', resource: 'pods' }
const start = (t: test.TestContext) => startInnerServer(t, { controllers: [quotaStatus], namespaces: ['a', 'b'] })

const limit = (server: InnerServer, hard: Record<string, string>, spec: object = {}, name = 'q') =>
  server.client.create(RESOURCE_QUOTAS, {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'a', name },
    spec: { hard, ...spec },
  })

const configMap = (name: string, namespace = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name },
})

const pod = (name: string, resources?: object, spec: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'a', name },
  spec: { containers: [{ name: 'c', image: 'i', ...(resources !== undefined && { resources }) }], ...spec },
})

const usedIs = (wanted: Record<string, string>) => (quota: KubeObject | undefined) =>
  JSON.stringify((quota?.status as { used?: object } | undefined)?.used) === JSON.stringify(wanted)

test('resourceQuota: does not let concurrent writes exceed a quota', async (t) => {
  const server = await start(t)
  await limit(server, { configmaps: '5' })
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => server.client.create(CONFIG_MAPS, configMap(`c${i}`))),
  )
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 5)
  await assert.rejects(server.client.create(CONFIG_MAPS, configMap('late')), (error) => {
    assert.ok(isForbidden(error))
    assert.equal(
      error.message,
      'configmaps "late" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=5, limited: configmaps=5',
    )
    return true
  })
  await server.client.create(CONFIG_MAPS, configMap('elsewhere', 'b'))
  await server.eventually(RESOURCE_QUOTAS, 'a', 'q', usedIs({ configmaps: '5' }))
  await server.client.delete(CONFIG_MAPS, 'a', server.client.list(CONFIG_MAPS, 'a')[0]?.metadata.name ?? '')
  await server.client.create(CONFIG_MAPS, configMap('after'))
})

test('resourceQuota: releases the reservation of a failed write', async (t) => {
  const server = await start(t)
  await limit(server, { 'count/configmaps': '2' })
  await server.client.create(CONFIG_MAPS, configMap('one'))
  for (let attempt = 0; attempt < 3; attempt++) {
    await assert.rejects(server.client.create(CONFIG_MAPS, configMap('one')), /already exists/)
  }
  await server.client.create(CONFIG_MAPS, configMap('two'))
})

test('resourceQuota: counts the resources of pods and requires them to be specified', async (t) => {
  const server = await start(t)
  await limit(server, { pods: '10', 'requests.cpu': '1', 'limits.memory': '1Gi' })
  await assert.rejects(
    server.client.create(PODS, pod('silent')),
    /failed quota: q: must specify limits.memory for: c; requests.cpu for: c/,
  )
  const modest = { requests: { cpu: '600m' }, limits: { memory: '512Mi' } }
  await server.client.create(PODS, pod('one', modest))
  await assert.rejects(
    server.client.create(PODS, pod('two', modest)),
    /exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1/,
  )
  await server.eventually(
    RESOURCE_QUOTAS,
    'a',
    'q',
    usedIs({ pods: '1', 'requests.cpu': '600m', 'limits.memory': '512Mi' }),
  )
  await server.client.change(
    PODS,
    'a',
    'one',
    (live) => ({ ...live, status: { ...(live.status as object), phase: 'Succeeded' } }),
    'status',
  )
  await server.eventually(RESOURCE_QUOTAS, 'a', 'q', usedIs({ pods: '0', 'requests.cpu': '0', 'limits.memory': '0' }))
  await server.client.create(PODS, pod('two', modest))
})

test('resourceQuota: counts only objects in the scopes', async (t) => {
  const server = await start(t)
  await limit(server, { pods: '1' }, { scopes: ['BestEffort'] })
  const modest = { requests: { cpu: '1m' } }
  await server.client.create(PODS, pod('burstable1', modest))
  await server.client.create(PODS, pod('burstable2', modest))
  await server.client.create(PODS, pod('besteffort'))
  await assert.rejects(server.client.create(PODS, pod('more')), /exceeded quota: q/)
  await server.eventually(RESOURCE_QUOTAS, 'a', 'q', usedIs({ pods: '1' }))
})

test('resourceQuota: counts services by type, also after a change', async (t) => {
  const server = await start(t)
  await limit(server, { services: '5', 'services.nodeports': '1', 'services.loadbalancers': '0' })
  const service = (name: string, type: string): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { namespace: 'a', name },
    spec: { type, ports: [{ port: 80 }] },
  })
  await server.client.create(SERVICES, service('n', 'NodePort'))
  await server.client.create(SERVICES, service('c', 'ClusterIP'))
  await assert.rejects(server.client.create(SERVICES, service('l', 'LoadBalancer')), /services.loadbalancers=1/)
  const toNodePort = server.client.change(SERVICES, 'a', 'c', (live) => ({
    ...live,
    spec: { ...(live.spec as object), type: 'NodePort', externalTrafficPolicy: 'Cluster' },
  }))
  await assert.rejects(toNodePort, /exceeded quota: q, requested: services.nodeports=1/)
})

test('resourceQuota: admits more after the quota is increased', async (t) => {
  const server = await start(t)
  await limit(server, { configmaps: '1' })
  await server.client.create(CONFIG_MAPS, configMap('one'))
  await assert.rejects(server.client.create(CONFIG_MAPS, configMap('two')), /exceeded quota/)
  await server.client.change(RESOURCE_QUOTAS, 'a', 'q', (live) => ({ ...live, spec: { hard: { configmaps: '2' } } }))
  await server.client.create(CONFIG_MAPS, configMap('two'))
  await server.eventually(RESOURCE_QUOTAS, 'a', 'q', usedIs({ configmaps: '2' }))
  await server.client.delete(RESOURCE_QUOTAS, 'a', 'q')
  await server.client.create(CONFIG_MAPS, configMap('three'))
})

test('resourceQuota: counts what exists without reading it', async (t) => {
  const server = await start(t)
  for (const name of ['one', 'two', 'three']) await server.client.create(CONFIG_MAPS, configMap(name))
  const entries = server.store.page({ bucket: 'configmaps', namespace: 'a' }).entries
  const reads = entries.map((entry) => t.mock.method(entry, 'object'))
  await limit(server, { configmaps: '4', 'count/configmaps': '4' })
  await server.eventually(RESOURCE_QUOTAS, 'a', 'q', usedIs({ configmaps: '3', 'count/configmaps': '3' }))
  assert.deepEqual(
    reads.map(({ mock }) => mock.callCount()),
    [0, 0, 0],
  )
  await server.client.create(CONFIG_MAPS, configMap('four'))
  await assert.rejects(server.client.create(CONFIG_MAPS, configMap('five')), isForbidden)
})
