import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '@orrery/api'
import type { Lease, Node, Pod, PodSpec } from '@orrery/kinds'
import type { HubFacts, SpokeFacts } from '../calculator.js'
import { clusterHealth } from './cluster-health.js'
import { nodeHealth } from './node-health.js'
import { resourceAllocatableCPU, resourceAllocatableMemory } from './resource-allocatable.js'
import { requestOf, resourceRatioCPU, resourceRatioMemory } from './resource-ratio.js'

const NOW = new Date('2030-01-01T00:00:00Z')

function node(name: string, cpu: string, memory: string, ready = 'True', unschedulable = false): Node {
  const allocatable = { cpu, memory }
  return {
    metadata: { name },
    spec: { unschedulable },
    status: { allocatable, conditions: [{ type: 'Ready', status: ready }] },
  } as unknown as Node
}

function pod(nodeName: string | undefined, cpu: string, memory: string): Pod {
  const containers = [{ name: 'main', resources: { requests: { cpu, memory } } }]
  return { metadata: { name: 'p' }, spec: { nodeName, containers } } as unknown as Pod
}

const spoke = (nodes: readonly Node[], pods: readonly Pod[] = []) =>
  ({ clusterName: 'c1', nodes, pods: async () => pods, now: NOW }) as unknown as SpokeFacts

test('resourceRatio: is the share that pods on usable nodes have not requested', async () => {
  const nodes = [node('a', '4', '8Gi'), node('b', '4', '8Gi'), node('c', '100', '1Ti', 'True', true)]
  const pods = [pod('a', '500m', '2Gi'), pod('b', '1580m', '2Gi'), pod('c', '50', '1Gi'), pod(undefined, '9', '1Gi')]
  assert.equal(await resourceRatioCPU.calculate(spoke(nodes, pods)), 74)
  assert.equal(await resourceRatioMemory.calculate(spoke(nodes, pods)), 75)
})

test('resourceRatio: is 0 for a cluster that is full, overcommitted or has no usable node', async () => {
  const full = spoke([node('a', '1', '1Gi')], [pod('a', '2', '1Gi')])
  assert.equal(await resourceRatioCPU.calculate(full), 0)
  assert.equal(await resourceRatioMemory.calculate(full), 0)
  assert.equal(await resourceRatioCPU.calculate(spoke([node('a', '1', '1Gi', 'Unknown')])), 0)
  assert.equal(await resourceRatioCPU.calculate(spoke([])), 0)
})

test('requestOf: counts init containers, sidecars and overhead as kube-scheduler does', () => {
  const requests = (cpu: string) => ({ resources: { requests: { cpu } } })
  const containers = [requests('1'), requests('500m')]
  const spec = (fields: object) => ({ containers, ...fields }) as unknown as PodSpec
  assert.equal(requestOf(spec({}), 'cpu'), 1.5)
  assert.equal(requestOf(spec({ initContainers: [requests('1'), requests('3')] }), 'cpu'), 3)
  const sidecar = { ...requests('2'), restartPolicy: 'Always' }
  assert.equal(requestOf(spec({ initContainers: [sidecar, requests('1')] }), 'cpu'), 3.5)
  assert.equal(requestOf(spec({ initContainers: [sidecar, requests('2')] }), 'cpu'), 4)
  assert.equal(requestOf(spec({ overhead: { cpu: '250m' } }), 'cpu'), 1.75)
  assert.equal(requestOf(undefined, 'cpu'), 0)
})

test('nodeHealth: is the share of ready nodes, and unknown without nodes', () => {
  const nodes = [node('a', '1', '1'), node('b', '1', '1', 'False'), node('c', '1', '1', 'Unknown')]
  assert.equal(nodeHealth.calculate(spoke(nodes)), 33)
  assert.equal(nodeHealth.calculate(spoke([])), undefined)
})

function hubFacts(available: string, leaseAge: number, nodes?: number): HubFacts {
  const conditions = [{ type: 'ManagedClusterConditionAvailable', status: available }]
  const renewTime = new Date(NOW.getTime() - 1_000 * leaseAge).toISOString().replace('Z', '000Z')
  return {
    cluster: {
      metadata: { name: 'c1' },
      spec: { leaseDurationSeconds: 60 },
      status: { conditions, allocatable: { cpu: '3500m', memory: '16Gi' } },
    } as unknown as ManagedCluster,
    lease: { spec: { renewTime } } as unknown as Lease,
    scoreOf: () => nodes,
    now: NOW,
  } as unknown as HubFacts
}

test('resourceAllocatable: is the allocatable amount in millicores and bytes, and unknown before it is reported', () => {
  assert.equal(resourceAllocatableCPU.calculate(hubFacts('True', 0)), 3_500)
  assert.equal(resourceAllocatableMemory.calculate(hubFacts('True', 0)), 17_179_869_184)
  const facts = hubFacts('True', 0)
  const cluster = { ...facts.cluster, status: {} } as unknown as ManagedCluster
  assert.equal(resourceAllocatableCPU.calculate({ ...facts, cluster }), undefined)
})

test('clusterHealth: is 0 unless the cluster is available, and lower while the lease is late or nodes are not ready', () => {
  for (const [available, leaseAge, nodes, health] of [
    ['True', 0, undefined, 100],
    ['True', -30, undefined, 100],
    ['True', 90, undefined, 100],
    ['True', 195, undefined, 75],
    ['True', 300, undefined, 50],
    ['True', 3_000, undefined, 50],
    ['True', 0, 40, 40],
    ['True', 195, 40, 30],
    ['True', 0, 0, 0],
    ['False', 0, 100, 0],
    ['Unknown', 0, 100, 0],
  ] as const) {
    assert.equal(clusterHealth.calculate(hubFacts(available, leaseAge, nodes)), health, `${available} ${leaseAge}`)
  }
  assert.equal(clusterHealth.calculate({ ...hubFacts('True', 0), lease: undefined }), 100)
})
