import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlacementDecision } from '@orrery/api'
import { DecisionLedger } from './decision-ledger.js'

const KEY = 'apps/web'

function decision(name: string, uid: string, ...clusters: string[]): PlacementDecision {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'PlacementDecision',
    metadata: {
      namespace: 'apps',
      name,
      uid,
      resourceVersion: uid,
      creationTimestamp: '2030-01-01T00:00:00Z',
      labels: { 'cluster.open-cluster-management.io/placement': 'web' },
    },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  } as PlacementDecision
}

const deletionOf = (before: PlacementDecision) =>
  ({ type: 'deleted', before, after: undefined, initial: false }) as const

test('DecisionLedger: notices that others delete an empty object while decisions are written', () => {
  const ledger = new DecisionLedger()
  const empty = decision('web-decision-1', '1')
  ledger.assume(KEY, [])
  ledger.wrote(empty)
  assert.deepEqual(ledger.changed(deletionOf(empty)), [])
  assert.equal(ledger.settle(KEY), false)
  ledger.assume(KEY, [])
  ledger.wrote(decision('web-decision-1', '2'))
  assert.equal(ledger.settle(KEY), true)
})

test('DecisionLedger: a deletion of our own is no change', () => {
  const ledger = new DecisionLedger()
  const [kept, surplus] = [decision('web-decision-1', '1', 'c1'), decision('web-decision-2', '2')]
  ledger.wrote(kept)
  ledger.wrote(surplus)
  ledger.assume(KEY, kept.status?.decisions ?? [])
  ledger.deleted(surplus)
  ledger.changed(deletionOf(surplus))
  assert.equal(ledger.settle(KEY), true)
})
