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

const additionOf = (after: PlacementDecision) => ({ type: 'added', before: undefined, after, initial: false }) as const

test('DecisionLedger: counts only the object that changed', () => {
  const ledger = new DecisionLedger()
  let reads = 0
  const objects = Array.from({ length: 60 }, (_, index) => {
    const { status, ...rest } = decision(`forged-${index}`, String(index + 1), 'c1', `c${index + 2}`)
    const counted = Object.defineProperty(rest, 'status', {
      get: () => {
        reads++
        return status
      },
    })
    return counted as PlacementDecision
  })
  for (const object of objects) ledger.changed(additionOf(object))
  assert.equal(ledger.count('c1'), 60)
  for (const object of objects.slice(1)) ledger.changed(deletionOf(object))
  assert.equal(ledger.count('c1'), 1)
  assert.equal(ledger.count('c3'), 0)
  assert.ok(reads <= 2 * objects.length, `${reads} reads of ${objects.length} objects`)
  assert.deepEqual([...ledger.decided(KEY).keys()], ['c1', 'c2'])
})

test('DecisionLedger: counts at most as many decisions of an object as the scheduler writes', () => {
  const ledger = new DecisionLedger()
  const clusters = Array.from({ length: 20_000 }, (_, index) => `c${index}`)
  const forged = decision('forged', '1', ...clusters)
  ledger.changed(additionOf(forged))
  assert.equal(ledger.count('c99'), 1)
  assert.equal(ledger.count('c100'), 0)
  assert.equal(ledger.decided(KEY).size, 100)
  ledger.changed(deletionOf(forged))
  assert.equal(ledger.count('c99'), 0)
})

test('DecisionLedger: counts what is assumed instead of what exists, until it is settled', () => {
  const ledger = new DecisionLedger()
  ledger.wrote(decision('web-decision-1', '1', 'c1', 'c2'))
  ledger.assume(KEY, [{ clusterName: 'c2', reason: '' }])
  ledger.wrote(decision('web-decision-1', '2', 'c2', 'c3'))
  assert.deepEqual(
    ['c1', 'c2', 'c3'].map((name) => ledger.count(name)),
    [0, 1, 0],
  )
  assert.equal(ledger.settle(KEY), false)
  assert.deepEqual(
    ['c1', 'c2', 'c3'].map((name) => ledger.count(name)),
    [0, 1, 1],
  )
  assert.equal(ledger.highestWithout('apps/other'), 1)
})
