import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { stageOf, type WorkGoal, type WorkStage } from './work-rollout.js'

type Conditions = Readonly<Record<string, string>>

/** A work whose conditions are written as `True Reason`, all about the latest generation unless said otherwise. */
function workWith(conditions: Conditions, observedGeneration = 2): ManifestWork {
  const list = Object.entries(conditions).map(([type, text]) => {
    const [status = '', reason = 'X'] = text.split(' ')
    return { type, status, reason, message: '', observedGeneration, lastTransitionTime: '2030-01-01T00:00:00Z' }
  })
  return {
    metadata: { namespace: 'c1', name: 'w', generation: 2 },
    status: { conditions: list },
  } as unknown as ManifestWork
}

const applied = { Applied: 'True', Available: 'True' }

const CASES: readonly (readonly [what: string, goal: WorkGoal, conditions: Conditions, stage: WorkStage])[] = [
  ['nothing said', 'ready', {}, 'pending'],
  ['not applied', 'applied', { Applied: 'False' }, 'failed'],
  ['not applied', 'ready', { Applied: 'False', Progressing: 'True Failed', Degraded: 'True' }, 'failed'],
  ['applied', 'applied', { ...applied, Progressing: 'True Failed', Degraded: 'True' }, 'reached'],
  ['rolling out', 'ready', { ...applied, Progressing: 'True Applying', Degraded: 'False' }, 'pending'],
  ['in trouble that may pass', 'ready', { ...applied, Progressing: 'True Applying', Degraded: 'True' }, 'pending'],
  ['failed', 'ready', { ...applied, Progressing: 'True Failed', Degraded: 'True' }, 'failed'],
  ['ready', 'ready', { ...applied, Progressing: 'False', Degraded: 'False' }, 'reached'],
  ['ready by rules, but not there', 'ready', { Applied: 'True', Available: 'False', Progressing: 'False' }, 'pending'],
  ['unknown', 'ready', { ...applied, Progressing: 'Unknown', Degraded: 'Unknown' }, 'pending'],
  ['under way by rules', 'ready', { ...applied, Progressing: 'True ConditionRulesAggregated' }, 'pending'],
  [
    'failed by rules',
    'ready',
    { ...applied, Progressing: 'True ConditionRulesAggregated', Degraded: 'True ConditionRulesAggregated' },
    'failed',
  ],
  ['of an agent that reports no readiness', 'ready', applied, 'unknown'],
  ['not there yet, of such an agent', 'ready', { Applied: 'True', Available: 'False' }, 'pending'],
]

for (const [what, goal, conditions, stage] of CASES) {
  test(`stageOf: a work that is to be ${goal} and is ${what} is ${stage}`, () => {
    assert.equal(stageOf([workWith(conditions)], goal), stage)
  })
}

test('stageOf: ignores conditions of an earlier generation', () => {
  assert.equal(stageOf([workWith({ ...applied, Progressing: 'False', Degraded: 'False' }, 1)], 'ready'), 'pending')
  assert.equal(stageOf([workWith({ ...applied, Progressing: 'True Failed', Degraded: 'True' }, 1)], 'ready'), 'pending')
})

test('stageOf: is pending without a work', () => {
  assert.equal(stageOf([], 'applied'), 'pending')
})
