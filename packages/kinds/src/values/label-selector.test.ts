import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  labelSelectorFrom,
  labelSelectorOf,
  noLabels,
  parseLabelSelector,
  selectsLabels,
  validateLabelSelector,
} from './label-selector.js'

test('parseLabelSelector: matches labels', () => {
  const labels = { app: 'web', tier: 'front', size: '10' }
  const yes = [
    '',
    'app=web',
    'app==web',
    'app = web , tier',
    'app in (web,api)',
    'app notin (api)',
    'other notin (x)',
    'app!=api',
    'other!=x',
    '!other',
    'size>9',
    'size<11',
    'tier in (front,)',
  ]
  const no = ['app=api', 'other', '!app', 'app in ()', 'app!=web', 'size>10', 'size<10', 'app>1', 'other=', 'other>1']
  for (const text of yes) assert.equal(parseLabelSelector(text).matches(labels), true, text)
  for (const text of no) assert.equal(parseLabelSelector(text).matches(labels), false, text)
  assert.equal(parseLabelSelector('a').matches(undefined), false)
  assert.equal(parseLabelSelector('!a').matches(undefined), true)
  assert.equal(parseLabelSelector('a=').matches({ a: '' }), true)
})

test('parseLabelSelector: accepts operators as keys and values', () => {
  assert.equal(parseLabelSelector('constructor').matches({}), false)
  assert.equal(parseLabelSelector('toString!=x').matches({}), true)
  assert.equal(parseLabelSelector('in=in').matches({ in: 'in' }), true)
  assert.equal(parseLabelSelector('notin in (in,notin)').matches({ notin: 'in' }), true)
})

test('parseLabelSelector: equivalent selectors have the same text', () => {
  const same = ['b,a=1', ' a == 1 , b ', 'a in (1),b', 'b,a in (1,1)']
  for (const text of same) assert.equal(parseLabelSelector(text).text, 'a=1,b')
  assert.equal(parseLabelSelector('x notin (c,a,b)').text, 'x notin (a,b,c)')
  assert.equal(parseLabelSelector('!a,b>1,c<2,d!=e').text, '!a,b>1,c<2,d!=e')
})

test("parseLabelSelector: rejects invalid selectors with Kubernetes' messages", () => {
  const operators = 'expected: in, notin, =, ==, !=, gt, lt'
  const cases: [string, string][] = [
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['=b', "found '=', expected: !, identifier, or 'end of string'"],
    ['a,', "found '', expected: identifier after ','"],
    ['a b', `unable to parse requirement: found 'b', ${operators}`],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=(', "unable to parse requirement: found '(', expected: identifier"],
    [
      'a>b',
      `unable to parse requirement: values[0]: Invalid value: "b": for 'Gt', 'Lt' operators, the value must be an integer`,
    ],
  ]
  for (const [text, message] of cases) assert.throws(() => parseLabelSelector(text), { message }, text)
  assert.throws(() => parseLabelSelector('-a=b'), /unable to parse requirement: <nil>: Invalid value: "-a": name part/)
  assert.throws(() => parseLabelSelector('a=-b'), /unable to parse requirement: values\[0\]\[a\]: Invalid value: "-b"/)
})

test('labelSelectorFrom: absent selects nothing, empty selects everything', () => {
  assert.equal(labelSelectorFrom(undefined), noLabels)
  assert.equal(labelSelectorFrom(null).matches({}), false)
  assert.equal(labelSelectorFrom({}).matches(undefined), true)
  const selector = labelSelectorFrom({
    matchLabels: { a: '1' },
    matchExpressions: [
      { key: 'b', operator: 'In', values: ['x', 'y'] },
      { key: 'c', operator: 'DoesNotExist' },
    ],
  })
  assert.equal(selector.text, 'a=1,b in (x,y),!c')
  assert.throws(() => labelSelectorFrom({ matchExpressions: [{ key: 'a', operator: 'Near' }] }), {
    message: '"Near" is not a valid label selector operator',
  })
  assert.equal(labelSelectorOf({ b: '2', a: '1' }).text, 'a=1,b=2')
})

test('validateLabelSelector: reports errors by field', () => {
  const errors = validateLabelSelector(
    {
      matchLabels: { ok: '-' },
      matchExpressions: [
        { key: 'a', operator: 'In' },
        { key: 'b', operator: 'Exists', values: ['x'] },
        { key: '', operator: 'Near' },
      ],
    },
    'spec.selector',
  )
  assert.deepEqual(
    errors.map(({ field, reason }) => `${field} ${reason}`),
    [
      'spec.selector.matchLabels FieldValueInvalid',
      'spec.selector.matchExpressions[0].values FieldValueRequired',
      'spec.selector.matchExpressions[1].values FieldValueForbidden',
      'spec.selector.matchExpressions[2].operator FieldValueInvalid',
      'spec.selector.matchExpressions[2].key FieldValueInvalid',
      'spec.selector.matchExpressions[2].key FieldValueInvalid',
    ],
  )
  assert.deepEqual(validateLabelSelector(undefined, 'x'), [])
})

test('parseLabelSelector: the canonical text round-trips', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,4}$/)
  const requirement = fc.oneof(
    word,
    word.map((key) => `!${key}`),
    fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
    fc
      .tuple(word, fc.constantFrom('in', 'notin'), fc.array(word, { minLength: 1 }))
      .map(([key, operator, values]) => `${key} ${operator} (${values.join(',')})`),
  )
  fc.assert(
    fc.property(fc.array(requirement), fc.dictionary(word, word), (parts, labels) => {
      const selector = parseLabelSelector(parts.join(','))
      const again = parseLabelSelector(selector.text)
      assert.equal(again.text, selector.text)
      assert.equal(again.matches(labels), selector.matches(labels))
    }),
  )
})

test('selectsLabels: agrees with a compiled selector', () => {
  const text = fc.constantFrom('a', 'b', 'c')
  const labels = fc.dictionary(text, text)
  const valued = fc.record({
    key: text,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.array(text, { minLength: 1 }),
  })
  const bare = fc.record({ key: text, operator: fc.constantFrom('Exists', 'DoesNotExist') })
  const spec = fc.record({ matchLabels: labels, matchExpressions: fc.array(fc.oneof(valued, bare)) })
  fc.assert(
    fc.property(fc.option(spec, { nil: undefined }), labels, (selector, object) => {
      assert.equal(selectsLabels(selector, object), labelSelectorFrom(selector).matches(object))
    }),
  )
  assert.equal(selectsLabels({ matchLabels: { constructor: 'x' } }, {}), false)
  assert.equal(selectsLabels({}, undefined), true)
})

test('selectsLabels: lists the labels of a selector once', () => {
  const matchLabels = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`k${(i * 7_919) % 60_000}`, 'v']))
  const started = process.cpuUsage().user
  for (let i = 0; i < 200; i++) assert.equal(selectsLabels({ matchLabels }, { a: 'b' }), false)
  assert.ok(process.cpuUsage().user - started < 3_000_000)
})

test('parseLabelSelector: combines many requirements as it evaluates few', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'constructor')
  const value = fc.constantFrom('1', '2', '3', 'x')
  const term = fc.oneof(
    key,
    key.map((name) => `!${name}`),
    fc.tuple(key, fc.constantFrom('=', '!='), value).map((parts) => parts.join('')),
    fc.tuple(key, fc.constantFrom('>', '<'), fc.constantFrom('0', '1', '2', '9')).map((parts) => parts.join('')),
    fc
      .tuple(key, fc.constantFrom('in', 'notin'), fc.array(value, { minLength: 1 }))
      .map(([name, operator, values]) => `${name} ${operator} (${values.join(',')})`),
  )
  const labels = fc.dictionary(key, value, { noNullPrototype: true })
  fc.assert(
    fc.property(fc.array(term, { minLength: 9, maxLength: 12 }), labels, (terms, object) => {
      const expected = terms.every((text) => parseLabelSelector(text).matches(object))
      assert.equal(parseLabelSelector(terms.join(',')).matches(object), expected)
    }),
    { numRuns: 2_000 },
  )
  // Most generated selectors contradict themselves.
  const many = Array.from({ length: 20 }, (_, i) => `n${i}!=x`)
  assert.equal(parseLabelSelector([...many, 'a>1', 'a<3', 'a in (2,x)', 'a'].join(',')).matches({ a: '2' }), true)
  assert.equal(parseLabelSelector(many.join(',')).matches({ n19: 'x' }), false)
  assert.equal(parseLabelSelector(many.join(',')).matches(undefined), true)
})

test('parseLabelSelector: evaluates thousands of requirements in the time of a few', () => {
  const different = Array.from({ length: 5_000 }, (_, i) => `k${i}!=x`).join(',')
  const values = Array.from({ length: 5_000 }, (_, i) => `v${i}`).join(',')
  const same = `a notin (${values})`
  const begin = process.cpuUsage().user
  for (const selector of [different, same].map(parseLabelSelector)) {
    for (let i = 0; i < 50_000; i++) assert.equal(selector.matches({ a: 'other', b: 'x' }), true)
  }
  const microseconds = process.cpuUsage().user - begin
  assert.ok(microseconds < 1_500_000, `${microseconds} µs`)
})
