import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConditionRule } from '@orrery/api'
import fc from 'fast-check'
import { objectOf } from '../testing.fixture.js'
import { evaluateRules, isByRule, typesSetBy } from './rule.js'

const cel = (condition: string, expressions: string[], rest: Partial<ConditionRule> = {}): ConditionRule => ({
  condition,
  type: 'CEL',
  celExpressions: expressions,
  ...rest,
})
const wellKnown = (condition: string, rest: Partial<ConditionRule> = {}): ConditionRule => ({
  condition,
  type: 'WellKnownConditions',
  ...rest,
})
const map = objectOf('v1', 'ConfigMap', { data: { ready: 'yes', count: '3' } })

function verdicts(object: typeof map, ...rules: ConditionRule[]): string[] {
  return evaluateRules(object, rules, 7).map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  )
}

test('evaluateRules: a condition is true when all its expressions are', () => {
  assert.deepEqual(
    verdicts(
      map,
      cel('Fine', ['object.data.ready == "yes"', 'int(object.data.count) > 2']),
      cel('Off', ['object.data.ready == "yes"', 'int(object.data.count) > 3']),
      cel('Empty', []),
    ),
    [
      'Fine True ConditionRuleEvaluated: Manifest is Fine',
      'Off False ConditionRuleEvaluated: Manifest is not Off',
      'Empty True ConditionRuleEvaluated: Manifest is Empty',
    ],
  )
})

test('evaluateRules: conditions have the generation of the work', () => {
  assert.equal(evaluateRules(map, [cel('Fine', ['true'])], 7)[0]?.observedGeneration, 7)
})

test('evaluateRules: stops at the first false expression, so that later ones can rely on it', () => {
  assert.deepEqual(verdicts(map, cel('Safe', ['has(object.status)', 'object.status.phase == "x"'])), [
    'Safe False ConditionRuleEvaluated: Manifest is not Safe',
  ])
})

test('evaluateRules: takes the message from an expression, the rule, or the condition', () => {
  const messageExpression = 'result ? object.data.count + " are there" : ""'
  assert.deepEqual(
    verdicts(
      map,
      cel('A', ['true'], { message: 'given' }),
      cel('B', ['true'], { message: 'given', messageExpression }),
      cel('C', ['false'], { message: 'given', messageExpression }),
      cel('D', ['false'], { messageExpression }),
      cel('E', ['true'], { messageExpression: '1 + 1' }),
      cel('F', ['true'], { messageExpression: 'object.data.missing' }),
    ),
    [
      'A True ConditionRuleEvaluated: given',
      'B True ConditionRuleEvaluated: 3 are there',
      'C False ConditionRuleEvaluated: given',
      'D False ConditionRuleEvaluated: Manifest is not D',
      'E True ConditionRuleEvaluated: expected message expression to have a string result, got number',
      'F True ConditionRuleEvaluated: no such key: missing',
    ],
  )
})

test('evaluateRules: reports a message expression that does not compile without its source', () => {
  const [verdict = ''] = verdicts(map, cel('A', ['true'], { messageExpression: 'nobody.knows' }))
  assert.match(verdict, /^A True ConditionRuleEvaluated: ERROR: <input>:1:1: undeclared reference to 'nobody'/)
  assert.ok(!verdict.includes('\n'))
})

test('evaluateRules: an expression error makes the condition false', () => {
  const [unknown = '', failing, wrong] = verdicts(
    map,
    cel('A', ['nobody.knows']),
    cel('B', ['object.data.missing == "x"']),
    cel('C', ['object.data.ready']),
  )
  assert.match(unknown, /^A False ConditionRuleExpressionError: ERROR: <input>:1:1: undeclared reference to 'nobody'/)
  assert.equal(failing, 'B False ConditionRuleExpressionError: no such key: missing')
  assert.equal(wrong, 'C False ConditionRuleExpressionError: expected bool result, got string')
})

test('evaluateRules: an internal error makes the condition unknown', () => {
  const broken = {
    ...objectOf('v1', 'Thing'),
    get spec(): never {
      throw new TypeError('out of order')
    },
  }
  assert.deepEqual(verdicts(broken, cel('A', ['object.spec == 1']), cel('B', ['true'])), [
    'A Unknown ConditionRuleInternalError: internal error: out of order',
    'B True ConditionRuleEvaluated: Manifest is B',
  ])
})

test('evaluateRules: a rule of an unknown type is invalid, and the others still run', () => {
  const rules = [{ condition: 'A', type: 'Tarot' }, cel('B', ['true'])] as ConditionRule[]
  assert.deepEqual(verdicts(map, ...rules), [
    'A Unknown ConditionRuleInvalid: unrecognized condition rule type Tarot',
    'B True ConditionRuleEvaluated: Manifest is B',
  ])
})

test('hasConditions: accepts a status of any type', () => {
  const asked = (status: unknown) =>
    evaluateRules(objectOf('v1', 'Thing', { status }), [cel('A', ['hasConditions(object.status)'])], 1)[0]?.status
  assert.equal(asked({ conditions: [{ type: 'x' }] }), 'True')
  for (const status of [{}, { conditions: [] }, { conditions: 'x' }, { conditions: {} }, 'text', 3, null, []]) {
    assert.equal(asked(status), 'False', JSON.stringify(status))
  }
})

test('evaluateRules: has the CEL libraries of Kubernetes', () => {
  const source = [
    'quantity("1Gi").isGreaterThan(quantity("1Mi"))',
    'object.data.?missing.orValue("x") == "x"',
    '"a-b".split("-") == ["a", "b"] && "ab".reverse() == "ba"',
    'isSemver("1.2.3") && ip("10.0.0.1").family() == 4 && "a1".find("[0-9]") == "1"',
  ]
  assert.deepEqual(verdicts(map, cel('A', source)), ['A True ConditionRuleEvaluated: Manifest is A'])
})

test('evaluateRules: accepts mixed-type literals and compares integers with doubles, as other agents do', () => {
  const source = ['object.data.ready in ["yes", 1, true]', '[object.data.ready, "x"].exists(one, one == "yes")']
  const messageExpression = '"%.1f of %d".format([int(object.data.count), 3.5])'
  assert.deepEqual(verdicts(map, cel('A', source, { messageExpression })), [
    'A True ConditionRuleEvaluated: 3.0 of 3.5',
  ])
})

test('evaluateRules: an expression over the cost limit is false', () => {
  const items = Array.from({ length: 600 }, (_, index) => index)
  const dear = cel('A', ['object.items.all(a, object.items.all(b, a + b >= 0))'])
  assert.deepEqual(verdicts(objectOf('v1', 'Thing', { items }), dear), [
    'A False ConditionRuleExpressionError: operation cancelled: actual cost limit exceeded',
  ])
})

test('WellKnownConditions: a Job is complete when it has succeeded or failed', () => {
  const job = (conditions?: object[]) => objectOf('batch/v1', 'Job', conditions && { status: { conditions } })
  const rule = wellKnown('Complete')
  const unfinished = ['Complete False ConditionRuleEvaluated: Job is not finished']
  assert.deepEqual(verdicts(job(), rule), unfinished)
  assert.deepEqual(verdicts(job([]), rule), unfinished)
  assert.deepEqual(verdicts(job([{ type: 'Failed', status: 'False' }]), rule), unfinished)
  assert.deepEqual(verdicts(job([{ type: 'Suspended', status: 'True' }]), rule), unfinished)
  const finished = ['Complete True ConditionRuleEvaluated: Job is finished']
  assert.deepEqual(verdicts(job([{ type: 'Complete', status: 'True' }]), rule), finished)
  assert.deepEqual(verdicts(job([{ type: 'Failed', status: 'True' }]), rule), finished)
})

test('WellKnownConditions: a Pod is complete when it has ended', () => {
  const pod = (phase: string) => objectOf('v1', 'Pod', { status: { phase } })
  assert.deepEqual(verdicts(objectOf('v1', 'Pod'), wellKnown('Complete')), [
    'Complete False ConditionRuleEvaluated: Pod is in phase Pending',
  ])
  assert.deepEqual(verdicts(pod('Running'), wellKnown('Complete')), [
    'Complete False ConditionRuleEvaluated: Pod is in phase Running',
  ])
  assert.deepEqual(verdicts(pod('Succeeded'), wellKnown('Complete')), [
    'Complete True ConditionRuleEvaluated: Pod is in phase Succeeded',
  ])
})

test('WellKnownConditions: a rule can set another message', () => {
  const pod = objectOf('v1', 'Pod', { status: { phase: 'Failed' } })
  assert.deepEqual(verdicts(pod, wellKnown('Complete', { messageExpression: '"ended: " + string(result)' })), [
    'Complete True ConditionRuleEvaluated: ended: true',
  ])
})

test('WellKnownConditions: kinds without a known rule get no condition', () => {
  assert.deepEqual(verdicts(map, wellKnown('Complete')), [])
  assert.deepEqual(verdicts(objectOf('v1', 'Pod'), wellKnown('Ready')), [])
})

test("evaluateRules: ignores rules for the agent's own conditions and for invalid types", () => {
  const types = ['Applied', 'StatusFeedbackSynced', 'Deleting', '', 'two words', 'x'.repeat(317), 'a/b/c']
  const rules = types.map((type) => cel(type, ['true']))
  assert.deepEqual(verdicts(map, ...rules), [])
  assert.deepEqual(typesSetBy(rules, map), [])
})

test('typesSetBy: knows the types of rules without an object', () => {
  const rules = [cel('A', ['true']), wellKnown('Complete'), wellKnown('Ready'), cel('example.com/B', ['broken'])]
  assert.deepEqual(typesSetBy(rules, { apiVersion: 'batch/v1', kind: 'Job' }), ['A', 'Complete', 'example.com/B'])
})

test('evaluateRules: never throws for any rule and object, and marks its conditions as set by rules', () => {
  const expression = fc.oneof(
    fc.string(),
    fc.constantFrom('object.status.conditions.all(c, c.status == "True")', 'object.x[0] > 1', 'size(object) > 2'),
  )
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(expression),
      expression,
      (fields, sources, text) => {
        const rule = cel('A', sources, { messageExpression: text })
        const [finding] = evaluateRules(objectOf('v1', 'Thing', { ...fields, metadata: {} }), [rule], 1)
        assert.ok(finding !== undefined && isByRule(finding))
      },
    ),
  )
})
