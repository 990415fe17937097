import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ScoreCalculator } from '@orrery/api'
import {
  checkCalculators,
  defineCalculator,
  type HubCalculator,
  type SpokeCalculator,
  validityOf,
} from './calculator.js'
import { addOnScoreValue, scoreValue } from './score-value.js'

const calculator = (fields: Partial<HubCalculator>) =>
  defineCalculator({ name: 'Latency', runsOn: 'hub', calculate: () => 1, ...fields })

test('defineCalculator: rejects names, periods and score names that are not valid', () => {
  for (const [fields, problem] of [
    [
      { name: 'my score' },
      /^calculator name "my score" is not valid: use up to 63 letters \(A-Z, a-z\), digits and "-"/,
    ],
    [{ name: '' }, /^calculator name "" is not valid/],
    [{ name: '-a' }, /with a letter or digit first and last$/],
    [{ name: 'a'.repeat(64) }, /use up to 63 letters/],
    [{ name: undefined as unknown as string }, /^calculator name undefined is not valid/],
    [{ runsOn: 'agent' as 'hub' }, /^calculator Latency: runsOn must be "hub" or "cluster", not "agent"$/],
    [{ runsOn: undefined as unknown as 'hub' }, /runsOn must be "hub" or "cluster", not undefined$/],
    [{ periodSeconds: 0 }, /calculator Latency: periodSeconds must be from 1 to 86400, not 0/],
    [{ periodSeconds: Number.NaN }, /periodSeconds must be from 1 to 86400, not NaN/],
    [{ addOnScore: { resourceName: '', scoreName: 'x' } }, /addOnScore needs a resourceName and a scoreName/],
  ] as const) {
    assert.throws(() => calculator(fields), { name: 'RangeError', message: problem })
  }
  for (const name of ['Claims', '9', 'a-b', 'a'.repeat(63)]) assert.equal(calculator({ name }).name, name)
})

test('defineCalculator: rejects the names of all built-in calculators in any case', () => {
  for (const name of Object.values(ScoreCalculator)) {
    for (const taken of [name, name.toLowerCase(), name.toUpperCase()]) {
      const message = new RegExp(
        `^calculator name "${taken}" is reserved for the built-in calculator ${name}, .*: choose a name other than .*NodeHealth`,
      )
      assert.throws(() => calculator({ name: taken }), { name: 'RangeError', message })
    }
  }
})

test('validityOf: is three periods, and at least five minutes', () => {
  assert.equal(validityOf(calculator({})), 300)
  assert.equal(validityOf(calculator({ periodSeconds: 1 })), 300)
  assert.equal(validityOf(calculator({ periodSeconds: 600 })), 1_800)
})

test('checkCalculators: rejects two calculators that write the same object', () => {
  assert.throws(
    () => checkCalculators('hub', [calculator({}), calculator({ name: 'LATENCY' })]),
    /write the score "latency"/,
  )
  const addOnScore = { resourceName: 'scores', scoreName: 'a' }
  const both = [calculator({ addOnScore }), calculator({ name: 'Other', addOnScore })]
  assert.throws(() => checkCalculators('hub', both), /write the score "scores"/)
  checkCalculators('hub', [calculator({}), calculator({ name: 'Other' })])
})

test('checkCalculators: rejects a calculator of the other place, and names the fix', () => {
  const onHub = calculator({})
  const inAgent: SpokeCalculator = defineCalculator({ name: 'Disk', runsOn: 'cluster', calculate: () => 1 })
  assert.throws(() => checkCalculators('hub', [onHub, inAgent]), {
    name: 'RangeError',
    message:
      'calculator Disk has runsOn "cluster" and cannot run with hubScores of @orrery/scores: ' +
      'set runsOn to "hub", or run it with scorePart of @orrery/agent',
  })
  assert.throws(() => checkCalculators('cluster', [inAgent, onHub]), {
    name: 'RangeError',
    message:
      'calculator Latency has runsOn "hub" and cannot run with scorePart of @orrery/agent: ' +
      'set runsOn to "cluster", or run it with hubScores of @orrery/scores',
  })
  checkCalculators('hub', [onHub])
  checkCalculators('cluster', [inAgent])
})

test('scoreValue: rounds numbers, and rejects what is not an integer in JSON', () => {
  assert.equal(scoreValue('Latency', 'c1', 74.4), 74)
  assert.ok(Object.is(scoreValue('Latency', 'c1', -0.1), 0))
  for (const [wrong, described] of [
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, 'Infinity'],
    [2 ** 60, '1152921504606847000'],
    ['12', 'the string "12"'],
    [12n, 'the bigint 12'],
    [true, 'the boolean true'],
    [null, 'null'],
    [[1], 'an array'],
    [{ score: 1 }, 'an object'],
  ] as const) {
    const message =
      `calculator Latency returned ${described} for cluster "c1": ` +
      'return a number within ±2^53, or undefined if the score is unknown'
    assert.throws(() => scoreValue('Latency', 'c1', wrong), { name: 'RangeError', message })
  }
  assert.deepEqual([-1_000, -100, 7, 100, 101].map(addOnScoreValue), [-100, -100, 7, 100, 100])
})
