import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Placement, PlacementDecision } from '@orrery/api'
import { decisionGroupsOf } from './decision-groups.js'
import { hasDecisions, MAX_DECISIONS, selectedClusters, settled, viewPlacement } from './placement-view.js'

const stored = { uid: '1', resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' }

function placement(selected: number, annotations: Record<string, string> = {}): Placement {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'Placement',
    metadata: { ...stored, namespace: 'apps', name: 'web', annotations },
    spec: {},
    status: { numberOfSelectedClusters: selected },
  } as Placement
}

function decision(name: string, group: string, ...clusters: string[]): PlacementDecision {
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1beta1',
    kind: 'PlacementDecision',
    metadata: {
      ...stored,
      namespace: 'apps',
      name,
      labels: { 'cluster.open-cluster-management.io/decision-group-index': group },
      managedFields: [{ manager: 'placement', operation: 'Update', time: '2030-01-01T00:00:10Z' }],
    },
    status: { decisions: clusters.map((clusterName) => ({ clusterName, reason: '' })) },
  } as PlacementDecision
}

test('decisionGroupsOf: joins the decisions of a group, in order, and counts a cluster once', () => {
  const groups = decisionGroupsOf([
    decision('web-decision-3', '1', 'd', 'a'),
    decision('web-decision-2', '0', 'b'),
    decision('web-decision-1', '0', 'a'),
    decision('web-decision-4', '2'),
  ])
  assert.deepEqual(groups, [
    { index: 0, name: '', clusters: ['a', 'b'] },
    { index: 1, name: '', clusters: ['d'] },
  ])
})

test('viewPlacement: has decisions only for a placement that exists and has decided', () => {
  for (const [view, state] of [
    [viewPlacement(undefined, [decision('web-decision-1', '0', 'a')]), 'missing'],
    [viewPlacement(placement(0), []), 'undecided'],
    [viewPlacement(placement(2), [decision('web-decision-1', '0', 'a')]), 'updating'],
    [viewPlacement(placement(1), [decision('web-decision-1', '0', 'a')]), 'decided'],
  ] as const) {
    assert.equal(view.state, state)
    assert.equal(hasDecisions(view), state === 'decided' || state === 'updating')
  }
})

test('viewPlacement: does not compare counts for a placement that another scheduler decides', () => {
  const annotations = { 'cluster.open-cluster-management.io/experimental-scheduling-disable': 'true' }
  const view = viewPlacement(placement(2, annotations), [decision('web-decision-1', '0', 'a')])
  assert.equal(view.state, 'decided')
})

test('settled: takes decisions that were not written for five seconds for complete', () => {
  const decisions = [decision('web-decision-1', '0', 'a')]
  const updating = viewPlacement(placement(2), decisions)
  const early = settled(updating, decisions, new Date('2030-01-01T00:00:14Z'))
  assert.equal(early.state, 'updating')
  assert.deepEqual(early.settledAt, new Date('2030-01-01T00:00:15Z'))
  assert.equal(settled(updating, decisions, new Date('2030-01-01T00:00:15Z')).state, 'decided')
})

test('viewPlacement: takes no clusters from decisions for too many clusters', () => {
  const names = Array.from({ length: MAX_DECISIONS }, (_, index) => `c${index}`)
  const most = decision('web-decision-1', '0', ...names)
  assert.equal(selectedClusters(viewPlacement(placement(0), [most])).length, MAX_DECISIONS)
  const refused = viewPlacement(placement(0), [most, decision('web-decision-2', '0', 'one-more')])
  assert.deepEqual([refused.state, selectedClusters(refused)], ['undecided', []])
  assert.equal(refused.problem, 'has decisions for 20001 clusters, and 20000 are allowed')
})
