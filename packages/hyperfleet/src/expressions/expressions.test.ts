import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Expressions } from './expressions.js'

const expressions = new Expressions(
  ['cluster', 'adapter', 'feedback', 'absent'],
  () => new Date('2030-01-01T00:10:00Z'),
)
const variables = {
  cluster: {
    name: 'c1',
    conditions: [
      { type: 'Ready', status: 'True', last_transition_time: '2030-01-01T00:00:00Z' },
      { type: 'Degraded', status: 'False', last_transition_time: 'never' },
    ],
  },
  adapter: { executionStatus: 'success', executionError: null },
  feedback: {
    values: [
      { name: 'phase', fieldValue: { type: 'String', string: 'Active' } },
      { name: 'replicas', fieldValue: { type: 'Integer', integer: 3 } },
      { name: 'status', fieldValue: { type: 'JsonRaw', jsonRaw: '{"a":1}' } },
    ],
  },
}

for (const [source, expected] of [
  ['now()', '2030-01-01T00:10:00Z'],
  ['toJson(cluster.conditions[1])', '{"type":"Degraded","status":"False","last_transition_time":"never"}'],
  ['dig(cluster, "conditions.0.type")', 'Ready'],
  ['dig(cluster, "conditions.7.type") == null', true],
  ['dig(cluster, "name.x")', null],
  ['conditionStatus(cluster.conditions, "Ready")', 'True'],
  ['conditionStatus(cluster.conditions, "Gone")', 'Unknown'],
  ['conditionAge(cluster.conditions, "Ready")', 600],
  ['conditionAge(cluster.conditions, "Degraded")', -1],
  ['stableFor(cluster.conditions, "Ready", 600)', true],
  ['stableFor(cluster.conditions, "Ready", 601)', false],
  ['stableFor(cluster.conditions, "Degraded", 0)', false],
  ['statusFeedbackValue(feedback, "phase") + statusFeedbackValue(feedback, "replicas")', 'Active3'],
  ['statusFeedbackValue(feedback, "status")', '{"a":1}'],
  ['statusFeedbackValue(feedback, "none")', ''],
  ['[triState(true, true), triState(false, true), triState(false, false)]', ['True', 'False', 'Unknown']],
  ['cluster.?deleted_time.hasValue()', false],
  ['adapter.?executionError.?phase.orValue("none")', 'none'],
  ['cluster.conditions.filter(c, c.type == "Ready")[0].status', 'True'],
] as const) {
  test(`Expressions: evaluates ${source}`, () => {
    const result = expressions.evaluate(source, variables)
    assert.deepEqual(result.ok ? result.value : result.message, expected)
  })
}

test('Expressions: a result other than a boolean matches unless it is empty', () => {
  const matched = (source: string) => {
    const result = expressions.evaluate(source, variables)
    return result.ok && result.matched
  }
  assert.deepEqual(['""', '"a"', '[]', '[0]', '0', 'null', 'false'].map(matched), [
    false,
    true,
    false,
    true,
    true,
    false,
    false,
  ])
})

test('Expressions: missing data is a result, an invalid expression an error', () => {
  assert.deepEqual(expressions.evaluate('absent.x', variables), { ok: false, message: 'no value for absent' })
  const missing = expressions.evaluate('cluster.missing', variables)
  assert.ok(!missing.ok && /no such key: missing/.test(missing.message))
  assert.throws(() => expressions.check('unknown.x'), /undeclared reference to 'unknown'/)
  assert.throws(() => expressions.check('cluster ='), /Syntax error/)
})
