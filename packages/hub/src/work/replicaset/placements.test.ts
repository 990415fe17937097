import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Placement, PlacementDecision } from '@orrery/api'
import { clustersOf, MOST_DECISIONS, viewPlacement } from './placements.js'

const REFERENCE = { name: 'p1', rolloutStrategy: { type: 'All' } } as const
const PLACEMENT = { metadata: { name: 'p1', namespace: 'team' } } as Placement

function decisionOf(name: string, clusters: number): PlacementDecision {
  const decisions = Array.from({ length: clusters }, (_, index) => ({ clusterName: `${name}-${index}`, reason: '' }))
  return { metadata: { name, namespace: 'team' }, status: { decisions } } as PlacementDecision
}

test('viewPlacement: takes no clusters from decisions that name too many, and works stay where they are', () => {
  const most = decisionOf('a', MOST_DECISIONS)
  const known = viewPlacement(REFERENCE, PLACEMENT, [most])
  assert.deepEqual([known.state, clustersOf(known).length], ['known', MOST_DECISIONS])
  const refused = viewPlacement(REFERENCE, PLACEMENT, [most, decisionOf('b', 1)])
  assert.deepEqual([refused.state, clustersOf(refused)], ['undecided', []])
  assert.equal(refused.problem, 'its decisions name 20001 clusters, and 20000 are allowed')
})
