import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterStateOf } from './cluster-state.js'
import type { ManagedCluster } from './managed-cluster.js'

type Conditions = Readonly<Record<string, string>>

function cluster(hubAcceptsClient: boolean, conditions: Conditions, deletionTimestamp?: string): ManagedCluster {
  const list = Object.entries(conditions).map(([type, status]) => ({ type, status }))
  const metadata = { name: 'edge', ...(deletionTimestamp !== undefined && { deletionTimestamp }) }
  return { metadata, spec: { hubAcceptsClient }, status: { conditions: list } } as unknown as ManagedCluster
}

const accepted = { HubAcceptedManagedCluster: 'True' }
const denied = { HubAcceptedManagedCluster: 'False' }
const joined = { ManagedClusterJoined: 'True' }
const available = (status: string) => ({ ManagedClusterConditionAvailable: status })

test('clusterStateOf: finds the phase from hubAcceptsClient and the conditions', () => {
  const cases: [string, boolean, boolean, Conditions][] = [
    ['pending', false, false, {}],
    ['denied', false, false, { ...denied, ...joined, ...available('True') }],
    // The hub has not denied it yet, and is about to.
    ['denied', false, false, { ...accepted, ...joined, ...available('True') }],
    ['refused', false, true, denied],
    ['refused', false, true, { ...denied, ...joined, ...available('True') }],
    // The hub has not accepted it yet, and is about to.
    ['accepted', true, true, {}],
    ['accepted', true, true, accepted],
    ['joined', true, true, { ...accepted, ...joined }],
    ['available', true, true, { ...accepted, ...joined, ...available('True') }],
    ['unavailable', true, true, { ...accepted, ...joined, ...available('False') }],
    ['unavailable', true, true, { ...accepted, ...joined, ...available('Unknown') }],
  ]
  for (const [phase, isAccepted, hubAcceptsClient, conditions] of cases) {
    const state = clusterStateOf(cluster(hubAcceptsClient, conditions))
    assert.deepEqual([state.phase, state.isAccepted, state.isDetaching], [phase, isAccepted, false], phase)
  }
})

test('clusterStateOf: takes conditions that are not set for Unknown, and reports a cluster that is being detached', () => {
  assert.deepEqual(clusterStateOf(cluster(true, { ...accepted, ...joined }, '2030-01-01T00:00:00Z')), {
    phase: 'joined',
    isAccepted: true,
    isDetaching: true,
    joined: 'True',
    available: 'Unknown',
  })
})
