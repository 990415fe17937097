import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedCluster } from '@orrery/api'
import { fleetDirectory } from './directory.js'
import { problemsOfFleet } from './fleet-problems.js'
import type { PartStatus } from './part-status.js'

test('problemsOfFleet: names a denied cluster with the command that accepts it', () => {
  const part = {
    name: 'cluster2',
    phase: 'unavailable',
    detail: 'Denied',
    version: 'v1',
    url: '',
  } as unknown as PartStatus
  const managedWith = (hubAcceptsClient: boolean) =>
    ({
      metadata: { name: 'cluster2' },
      spec: { hubAcceptsClient },
      status: { conditions: [{ type: 'HubAcceptedManagedCluster', status: 'False' }] },
    }) as unknown as ManagedCluster
  const problemsWith = (accepted: boolean) =>
    problemsOfFleet(fleetDirectory('/fleet'), {
      parts: [part],
      kept: new Set(['cluster2']),
      view: { clusters: [], managed: [managedWith(accepted)], works: [] },
    })
  const message = 'is denied: run `orrery accept --clusters cluster2`'
  assert.deepEqual(problemsWith(false), [{ object: 'cluster2', message }])
  assert.deepEqual(problemsWith(true), [{ object: 'cluster2', message: 'unavailable: Denied' }])
})
