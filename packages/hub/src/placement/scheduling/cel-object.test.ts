import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '@orrery/api'
import { celObject } from './cel-object.js'

const stored = { uid: '1', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' }
const type = { apiVersion: 'cluster.open-cluster-management.io/v1', kind: 'ManagedCluster' }

test('celObject: has the fields that are required in Go, and no others that are empty', () => {
  const empty: ManagedCluster = {
    ...type,
    metadata: { ...stored, name: 'c1', labels: {}, finalizers: [] },
    spec: { leaseDurationSeconds: 0, taints: [] },
    status: { capacity: {}, clusterClaims: [], version: { kubernetes: '' } },
  }
  assert.deepEqual(celObject(empty), {
    ...type,
    metadata: { ...stored, name: 'c1' },
    spec: { hubAcceptsClient: false },
    status: { conditions: null, version: {} },
  })
  const missing = { ...type, metadata: { ...stored, name: 'c1' } }
  assert.deepEqual(celObject(missing), celObject(empty))
})

test('celObject: keeps empty values of required fields, of labels and of lists', () => {
  const condition = {
    type: 'Joined',
    status: 'True',
    reason: '',
    message: '',
    lastTransitionTime: '2030-01-01T00:00:00Z',
  }
  const cluster: ManagedCluster = {
    ...type,
    metadata: { ...stored, name: 'c1', labels: { gpu: '' } },
    spec: {
      hubAcceptsClient: true,
      leaseDurationSeconds: 60,
      taints: [{ key: 'a', value: '', effect: 'NoSelect' }],
      managedClusterClientConfigs: [{ url: '', caBundle: '' }],
    },
    status: { conditions: [{ ...condition, observedGeneration: 0 }] },
  } as ManagedCluster
  assert.deepEqual(celObject(cluster), {
    ...type,
    metadata: { ...stored, name: 'c1', labels: { gpu: '' } },
    spec: {
      hubAcceptsClient: true,
      leaseDurationSeconds: 60,
      taints: [{ key: 'a', effect: 'NoSelect', timeAdded: null }],
      managedClusterClientConfigs: [{ url: '' }],
    },
    status: { conditions: [condition], version: {} },
  })
})

test('celObject: has quantities in their canonical form', () => {
  const capacity = { cpu: '7500m', memory: '16384Mi', pods: '1e2', odd: 'x' }
  const cluster = { ...type, metadata: { ...stored, name: 'c1' }, status: { capacity } } as ManagedCluster
  const { status } = celObject(cluster) as { status: object }
  assert.deepEqual(status, {
    conditions: null,
    version: {},
    capacity: { cpu: '7500m', memory: '16Gi', pods: '100', odd: 'x' },
  })
})
