import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterScore } from './managed-cluster-score.js'
import { calculatorOf, SCORE_VALIDITY_ANNOTATION, scoreObjectName, scoreValidUntil } from './score.js'

function score(name: string, lastUpdateTime?: string, validity?: string): ManagedClusterScore {
  const type = 'ManagedClusterScoreUpdated'
  const condition = { type, status: 'True', reason: type, message: '', lastTransitionTime: '2030-01-01T00:00:00Z' }
  return {
    metadata: {
      namespace: 'cluster1',
      name,
      ...(validity !== undefined && { annotations: { [SCORE_VALIDITY_ANNOTATION]: validity } }),
    },
    ...(lastUpdateTime !== undefined && { status: { conditions: [{ ...condition, lastUpdateTime }], score: 1 } }),
  } as unknown as ManagedClusterScore
}

test('scoreObjectName: joins the cluster and the calculator in lower case, and calculatorOf reads it', () => {
  assert.equal(scoreObjectName('cluster1', 'ResourceRatioCPU'), 'cluster1-resourceratiocpu')
  assert.equal(calculatorOf(score('cluster1-resourceratiocpu')), 'resourceratiocpu')
  for (const name of ['cluster1', 'cluster1-', 'cluster2-resourceratiocpu', 'resourceratiocpu']) {
    assert.equal(calculatorOf(score(name)), undefined, name)
  }
})

test('scoreValidUntil: adds the validity to the last update, five minutes by default', () => {
  const time = '2030-01-01T00:00:00Z'
  assert.equal(scoreValidUntil(score('cluster1-x')), undefined)
  assert.equal(scoreValidUntil(score('cluster1-x', 'yesterday')), undefined)
  for (const [validity, until] of [
    [undefined, '2030-01-01T00:05:00.000Z'],
    ['3600', '2030-01-01T01:00:00.000Z'],
    ['-1', '2030-01-01T00:05:00.000Z'],
    ['1e99', '2030-01-01T00:05:00.000Z'],
    ['soon', '2030-01-01T00:05:00.000Z'],
  ] as const) {
    assert.equal(scoreValidUntil(score('cluster1-x', time, validity))?.toISOString(), until, validity)
  }
})
