import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../kinds/meta.generated.js'
import {
  findCondition,
  hasCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
  setConditions,
} from './conditions.js'

const EARLY = new Date('2030-01-01T00:00:00Z')
const LATE = new Date('2030-01-01T00:05:00.900Z')
const ready = { type: 'Ready', status: 'True', reason: 'Up', message: 'all is well' } as const

test('setCondition: lastTransitionTime changes only with the status', () => {
  const first = setCondition(undefined, ready, EARLY)
  const expected: Condition[] = [{ ...ready, lastTransitionTime: '2030-01-01T00:00:00Z' }]
  assert.deepEqual(first, expected)
  const reworded = setCondition(first, { ...ready, reason: 'StillUp', observedGeneration: 2 }, LATE)
  assert.equal(reworded[0]?.lastTransitionTime, '2030-01-01T00:00:00Z')
  assert.equal(reworded[0]?.reason, 'StillUp')
  assert.equal(reworded[0]?.observedGeneration, 2)
  const flipped = setCondition(reworded, { ...ready, status: 'False' }, LATE)
  assert.equal(flipped[0]?.lastTransitionTime, '2030-01-01T00:05:00Z')
  assert.equal(flipped[0]?.observedGeneration, undefined)
})

test('setCondition: returns the same list if nothing changes', () => {
  const conditions = setConditions([], [ready, { type: 'Other', status: 'Unknown', reason: 'Why' }], EARLY)
  assert.equal(setCondition(conditions, ready, LATE), conditions)
  assert.equal(
    setConditions(conditions, [ready, { type: 'Other', status: 'Unknown', reason: 'Why' }], LATE),
    conditions,
  )
  assert.equal(removeCondition(conditions, 'Nowhere'), conditions)
  const given: Condition[] = [...conditions]
  setCondition(conditions, { ...ready, status: 'False' }, LATE)
  assert.deepEqual(conditions, given)
})

test('setCondition, hasCondition: keep the order of conditions and find them', () => {
  const both = setConditions(undefined, [ready, { type: 'Other', status: 'False', reason: 'No' }], EARLY)
  const conditions = setConditions(
    both,
    [
      { ...ready, status: 'False' },
      { ...ready, type: 'New' },
    ],
    LATE,
  )
  assert.deepEqual(
    conditions.map(({ type, status }) => [type, status]),
    [
      ['Ready', 'False'],
      ['Other', 'False'],
      ['New', 'True'],
    ],
  )
  assert.ok(isConditionTrue(conditions, 'New'))
  assert.ok(isConditionFalse(conditions, 'Ready'))
  assert.ok(!isConditionTrue(undefined, 'New') && !isConditionFalse(conditions, 'Missing'))
  assert.ok(!hasCondition(conditions, 'Missing', 'Unknown'))
  assert.equal(findCondition(conditions, 'Other')?.reason, 'No')
  assert.deepEqual(removeCondition(conditions, 'Ready'), conditions.slice(1))
})

test('setCondition: gives a time to a condition that has none', () => {
  const conditions: { type: string; status: 'True'; reason?: string; lastTransitionTime?: string }[] = [
    { type: 'Ready', status: 'True' },
  ]
  assert.deepEqual(setCondition(conditions, ready, LATE), [
    {
      type: 'Ready',
      status: 'True',
      reason: ready.reason,
      message: ready.message,
      lastTransitionTime: '2030-01-01T00:05:00Z',
    },
  ])
})
