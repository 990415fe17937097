import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkDistinct, defineCalculator, type HubCalculator, validityOf } from './calculator.js'
import { addOnScoreValue, scoreValue } from './score-value.js'

const calculator = (fields: Partial<HubCalculator>) =>
  defineCalculator({ name: 'Latency', runsOn: 'hub', calculate: () => 1, ...fields })

test('defineCalculator: rejects names, periods and score names that are not valid', () => {
  for (const [fields, problem] of [
    [{ name: 'my score' }, /calculator name "my score" is not valid/],
    [{ name: '' }, /calculator name "" is not valid/],
    [{ periodSeconds: 0 }, /calculator Latency: periodSeconds must be from 1 to 86400, not 0/],
    [{ periodSeconds: Number.NaN }, /periodSeconds must be from 1 to 86400, not NaN/],
    [{ addOnScore: { resourceName: '', scoreName: 'x' } }, /addOnScore needs a resourceName and a scoreName/],
  ] as const) {
    assert.throws(() => calculator(fields), problem)
  }
})

test('validityOf: is three periods, and at least five minutes', () => {
  assert.equal(validityOf(calculator({})), 300)
  assert.equal(validityOf(calculator({ periodSeconds: 1 })), 300)
  assert.equal(validityOf(calculator({ periodSeconds: 600 })), 1_800)
})

test('checkDistinct: rejects two calculators that write the same object', () => {
  assert.throws(() => checkDistinct([calculator({}), calculator({ name: 'LATENCY' })]), /write the score "latency"/)
  const addOnScore = { resourceName: 'scores', scoreName: 'a' }
  const both = [calculator({ addOnScore }), calculator({ name: 'Other', addOnScore })]
  assert.throws(() => checkDistinct(both), /write the score "scores"/)
  checkDistinct([calculator({}), calculator({ name: 'Other' })])
})

test('scoreValue: rounds numbers, and rejects what is not an integer in JSON', () => {
  assert.equal(scoreValue('Latency', 'c1', 74.4), 74)
  assert.ok(Object.is(scoreValue('Latency', 'c1', -0.1), 0))
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, '12', 12n, null]) {
    const message = new RegExp(`calculator Latency returned ${String(wrong)} for cluster "c1": return a number`)
    assert.throws(() => scoreValue('Latency', 'c1', wrong), { name: 'RangeError', message })
  }
  assert.deepEqual([-1_000, -100, 7, 100, 101].map(addOnScoreValue), [-100, -100, 7, 100, 100])
})
