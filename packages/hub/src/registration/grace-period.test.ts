import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LEASE_GRACE_FACTOR_ANNOTATION, type ManagedCluster } from '@orrery/api'
import { DEFAULT_HUB_OPTIONS, resolveHubOptions } from '../options.js'
import { gracePeriod } from './grace-period.js'

function clusterWith(leaseDurationSeconds: number | undefined, factor?: string): ManagedCluster {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: {
      name: 'c1',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2030-01-01T00:00:00Z',
      ...(factor !== undefined && { annotations: { [LEASE_GRACE_FACTOR_ANNOTATION]: factor } }),
    },
    ...(leaseDurationSeconds !== undefined && { spec: { leaseDurationSeconds } }),
  }
}

test('gracePeriod: is five lease durations by default', () => {
  assert.equal(gracePeriod(clusterWith(60), DEFAULT_HUB_OPTIONS), 300_000)
  assert.equal(gracePeriod(clusterWith(5), DEFAULT_HUB_OPTIONS), 25_000)
})

test('gracePeriod: takes a lease duration that is not valid for one minute', () => {
  for (const seconds of [undefined, 0, -1]) {
    assert.equal(gracePeriod(clusterWith(seconds), DEFAULT_HUB_OPTIONS), 300_000, String(seconds))
  }
})

test('gracePeriod: uses the factor of the hub, and that of the cluster before it', () => {
  const options = resolveHubOptions({ leaseGraceFactor: 3 })
  assert.equal(gracePeriod(clusterWith(10), options), 30_000)
  assert.equal(gracePeriod(clusterWith(5, '2.5'), options), 12_500)
})

test('gracePeriod: ignores a factor that is not valid', () => {
  for (const factor of ['', 'x', '0', '-2', '0.5', 'Infinity', '1e9', 'NaN']) {
    assert.equal(gracePeriod(clusterWith(60, factor), DEFAULT_HUB_OPTIONS), 300_000, factor)
  }
  assert.throws(() => resolveHubOptions({ leaseGraceFactor: 0 }), /at least 1/)
  assert.throws(() => resolveHubOptions({ leaseGraceFactor: Number.NaN }), /at least 1/)
})
