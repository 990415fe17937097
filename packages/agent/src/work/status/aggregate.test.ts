import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestStatus } from '@orrery/api'
import type { ConditionStatus } from '@orrery/kinds'
import fc from 'fast-check'
import { aggregateAvailability, aggregateRules } from './aggregate.js'

function having(
  type: string,
  status: ConditionStatus,
  reason = 'ConditionRuleEvaluated',
  message = '',
): ManifestStatus {
  const condition = { type, status, reason, message, lastTransitionTime: '2030-01-01T00:00:00Z' }
  return { resourceMeta: { ordinal: 0 }, conditions: [condition] }
}

const available = (status: ConditionStatus) => having('Available', status, 'ResourceAvailable')

test('aggregateAvailability: a work is available when all its objects are', () => {
  const conditionTexts = (...manifests: ManifestStatus[]) => {
    const { status, reason, message, observedGeneration } = aggregateAvailability(manifests, 3)
    assert.equal(observedGeneration, 3)
    return `${status} ${reason}: ${message}`
  }
  assert.equal(
    conditionTexts(available('True'), available('True')),
    'True ResourcesAvailable: All resources are available',
  )
  assert.equal(
    conditionTexts(available('True'), available('False'), available('Unknown')),
    'False ResourcesNotAvailable: 1 of 3 resources are not available',
  )
  assert.equal(
    conditionTexts(available('True'), available('Unknown')),
    'Unknown ResourcesStatusUnknown: 1 of 2 resources have unknown status',
  )
  assert.equal(conditionTexts(), 'Unknown ResourcesStatusUnknown: There are no resources')
})

test('aggregateRules: aggregates conditions of rules by type, and no others', () => {
  const manifests = [
    having('Complete', 'True', 'ConditionRuleEvaluated', 'Job is finished'),
    having('Complete', 'False', 'ConditionRuleExpressionError', 'broken'),
    having('Ready', 'True', 'ConditionRuleEvaluated', 'it is'),
    having('Applied', 'True', 'AppliedManifestComplete'),
    having('Available', 'True', 'ConditionRuleEvaluated'),
  ]
  assert.deepEqual(aggregateRules(manifests, 3), [
    {
      type: 'Complete',
      status: 'False',
      reason: 'ConditionRulesAggregated',
      message: 'Aggregated from 2 manifest conditions',
      observedGeneration: 3,
    },
    { type: 'Ready', status: 'True', reason: 'ConditionRulesAggregated', message: 'it is', observedGeneration: 3 },
  ])
})

test('aggregateRules: False wins over Unknown over True, except for Progressing, where True wins', () => {
  const statuses = fc.array(fc.constantFrom<ConditionStatus>('True', 'False', 'Unknown'), { minLength: 1 })
  const first = (order: ConditionStatus[], all: ConditionStatus[]) => order.find((status) => all.includes(status))
  fc.assert(
    fc.property(statuses, fc.constantFrom('Complete', 'Degraded', 'Progressing'), (all, type) => {
      const [finding] = aggregateRules(
        all.map((status) => having(type, status)),
        1,
      )
      const order: ConditionStatus[] =
        type === 'Progressing' ? ['True', 'Unknown', 'False'] : ['False', 'Unknown', 'True']
      assert.equal(finding?.status, first(order, all))
    }),
  )
})
