import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import { formatFieldError, invalid } from '@orrery/kinds/values'
import fc from 'fast-check'
import { Correlation } from '../correlation.js'
import type { JsonSchema } from '../json-schema.js'
import { schemaTree } from '../schema-tree.js'
import { accepts } from './accept.js'
import { toFieldErrors } from './findings.js'
import { report, reportUpdate } from './report.js'

function errorsOf(spec: JsonSchema, value: JsonValue, old?: JsonValue): string[] {
  const root: JsonSchema = { type: 'object', properties: { spec } }
  const schema = schemaTree(root)
  const object = { spec: value }
  const result =
    old === undefined
      ? report(schema, object, '')
      : reportUpdate(schema, object, new Correlation(schema, object, { spec: old }))
  if (old === undefined) assert.equal(accepts(schema, object), result.isValid)
  return toFieldErrors(result.findings, '').map(formatFieldError)
}

const CASES: [string, JsonSchema, JsonValue, string[]][] = [
  [
    'a string for an integer',
    { type: 'integer' },
    'x',
    ['spec: Invalid value: "string": spec in body must be of type integer: "string"'],
  ],
  ['null', { type: 'string' }, null, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
  ['null where it is allowed', { type: 'string', nullable: true }, null, []],
  ['an integer for a number', { type: 'number' }, 3, []],
  [
    'a fraction for an integer',
    { type: 'integer' },
    1.5,
    [
      'spec: Invalid value: "number": spec in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec',
    ],
  ],
  [
    'a boolean for an int32',
    { type: 'integer', format: 'int32' },
    true,
    ['spec: Invalid value: "": spec in body must be of type int32: ""'],
  ],
  [
    'a number past int32',
    { type: 'integer', format: 'int32' },
    2147483648,
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec'],
  ],
  [
    'too much',
    { type: 'integer', maximum: 5 },
    6,
    ['spec: Invalid value: 6: spec in body should be less than or equal to 5'],
  ],
  [
    'too much by a hair',
    { type: 'integer', maximum: 5, exclusiveMaximum: true },
    5,
    ['spec: Invalid value: 5: spec in body should be less than 5'],
  ],
  [
    'too little',
    { type: 'number', minimum: 0.5 },
    0.25,
    ['spec: Invalid value: 0.25: spec in body should be greater than or equal to 0.5'],
  ],
  [
    'not more than',
    { type: 'number', minimum: 0, exclusiveMinimum: true },
    0,
    ['spec: Invalid value: 0: spec in body should be greater than 0'],
  ],
  [
    'no multiple',
    { type: 'integer', multipleOf: 3 },
    4,
    ['spec: Invalid value: 4: spec in body should be a multiple of 3'],
  ],
  ['a decimal multiple', { type: 'number', multipleOf: 0.1 }, 0.3, []],
  ['too long', { type: 'string', maxLength: 3 }, 'äöüß', ['spec: Too long: may not be more than 3 bytes']],
  ['characters, not code units', { type: 'string', maxLength: 2 }, '😀😀', []],
  [
    'too short',
    { type: 'string', minLength: 2 },
    'a',
    ['spec: Invalid value: "a": spec in body should be at least 2 chars long'],
  ],
  ['no match', { type: 'string', pattern: '^a$' }, 'b', [`spec: Invalid value: "b": spec in body should match '^a$'`]],
  [
    'a bad date',
    { type: 'string', format: 'date-time' },
    'x',
    ['spec: Invalid value: "x": spec in body must be of type date-time: "x"'],
  ],
  [
    'no choice',
    { type: 'string', enum: ['a', 'b'] },
    'c',
    ['spec: Unsupported value: "c": supported values: "a", "b"'],
  ],
  [
    'a choice of numbers',
    { type: 'integer', enum: [1, 2] },
    3,
    ['spec: Unsupported value: 3: supported values: "1", "2"'],
  ],
  [
    'too many items',
    { type: 'array', maxItems: 1, items: { type: 'string' } },
    ['a', 'b'],
    ['spec: Too many: 2: must have at most 1 item'],
  ],
  [
    'too few items',
    { type: 'array', minItems: 1, items: { type: 'string' } },
    [],
    ['spec: Invalid value: 0: spec in body should have at least 1 items'],
  ],
  [
    'a bad item',
    { type: 'array', items: { type: 'string' } },
    ['a', 1],
    ['spec[1]: Invalid value: "integer": spec[1] in body must be of type string: "integer"'],
  ],
  [
    'a missing field',
    { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
    {},
    ['spec.a: Required value'],
  ],
  [
    'too many fields',
    { type: 'object', maxProperties: 1, additionalProperties: { type: 'string' } },
    { a: 'x', b: 'y' },
    ['spec: Too many: 2: must have at most 1 item'],
  ],
  [
    'too few fields',
    { type: 'object', minProperties: 1, additionalProperties: true },
    {},
    ['spec: Invalid value: 0: spec in body should have at least 1 properties'],
  ],
  [
    'a forbidden field',
    { type: 'object', additionalProperties: false },
    { a: 1 },
    ['spec: Invalid value: "a": spec.a in body is a forbidden property'],
  ],
  [
    'a bad value of a map',
    { type: 'object', additionalProperties: { type: 'string' } },
    { k: 1 },
    ['spec.k: Invalid value: "integer": spec.k in body must be of type string: "integer"'],
  ],
  ['an integer or a string', { 'x-kubernetes-int-or-string': true }, '50%', []],
  [
    'neither',
    { 'x-kubernetes-int-or-string': true },
    true,
    ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
  ],
  [
    'none of several',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    {},
    ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', 'spec.a: Required value'],
  ],
  [
    'two of one',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    { a: '', b: '' },
    ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    'none of one',
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
    },
    {},
    [
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found none valid',
      'spec.a: Required value',
    ],
  ],
  [
    'not all',
    { type: 'integer', allOf: [{ minimum: 2 }, { maximum: 5 }] },
    1,
    [
      'spec: Invalid value: 1: spec in body should be greater than or equal to 2',
      '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
    ],
  ],
  [
    'what it must not be',
    { type: 'string', not: { enum: ['x'] } },
    'x',
    ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
  ],
]

for (const [name, schema, value, errors] of CASES) {
  test(`valueErrors: ${name}: ${errors.length === 0 ? 'valid' : errors[0]}`, () =>
    assert.deepEqual(errorsOf(schema, value), errors))
}

test('valueErrors: does not take properties of the prototype for fields', () => {
  assert.deepEqual(errorsOf({ type: 'object', required: ['toString'] }, {}), ['spec.toString: Required value'])
  assert.deepEqual(errorsOf({ type: 'object', properties: {} }, { constructor: 1 } as never), [])
})

test('valueErrors: ignores unchanged parts of an update', () => {
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      color: { type: 'string', enum: ['red'] },
      size: { type: 'integer', maximum: 5 },
      ports: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, port: { type: 'integer', maximum: 100 } },
        },
      },
      tags: { type: 'array', items: { type: 'string', maxLength: 2 } },
    },
  }
  const old = { color: 'blue', size: 1, ports: [{ name: 'a', port: 500 }], tags: ['long', 'a'] }
  assert.deepEqual(errorsOf(schema, { ...old, size: 2 }, old), [])
  assert.deepEqual(errorsOf(schema, { ...old, color: 'green' }, old), [
    'spec.color: Unsupported value: "green": supported values: "red"',
  ])
  assert.deepEqual(
    errorsOf(
      schema,
      {
        ...old,
        ports: [
          { name: 'b', port: 1 },
          { name: 'a', port: 500 },
        ],
      },
      old,
    ),
    [],
  )
  assert.deepEqual(errorsOf(schema, { ...old, ports: [{ name: 'a', port: 501 }] }, old), [
    'spec.ports[0].port: Invalid value: 501: spec.ports[0].port in body should be less than or equal to 100',
  ])
  assert.deepEqual(errorsOf(schema, { ...old, tags: ['long', 'b'] }, old), [
    'spec.tags[0]: Too long: may not be more than 2 bytes',
  ])
})

test('valueErrors: limits the number of errors', () => {
  assert.equal(errorsOf({ type: 'array', items: { type: 'string' } }, Array(100_000).fill(1)).length, 1000)
})

test('accepts, report: agree', () => {
  const scalar = fc.constantFrom<JsonValue>(null, 0, 1, 1.5, -3, 'a', 'abc', '', true, false)
  const value = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<JsonValue>,
    ),
  })).value
  const schema = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<JsonSchema>(
        { type: 'string', maxLength: 2 },
        { type: 'string', pattern: '^a', nullable: true },
        { type: 'integer', minimum: 0, maximum: 1 },
        { type: 'number', multipleOf: 0.5 },
        { 'x-kubernetes-int-or-string': true },
        { enum: ['a', 1, true] },
        { type: 'string', format: 'date' },
        {},
      ),
      fc
        .tuple(fc.dictionary(fc.constantFrom('a', 'b'), tie('schema')), fc.subarray(['a', 'b']))
        .map(([properties, required]) => ({ type: 'object', properties, required })),
      tie('schema').map((additionalProperties) => ({ type: 'object', additionalProperties })),
      tie('schema').map((items) => ({ type: 'array', items, maxItems: 2 })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((oneOf) => ({ oneOf })),
      fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((allOf) => ({ allOf })),
      tie('schema').map((not) => ({ not })),
    ),
  })).schema
  fc.assert(
    fc.property(schema, value, (definition, candidate) => {
      const compiled = schemaTree(definition)
      assert.equal(accepts(compiled, candidate), report(compiled, candidate, '').isValid)
    }),
    { numRuns: 500 },
  )
})

test('valueErrors: checks a long enum in constant time, and its errors stay small', () => {
  for (const choices of [
    Array.from({ length: 20_000 }, (_, i) => `e${i}`),
    Array.from({ length: 20_000 }, (_, i) => -i - 1),
  ]) {
    const type = typeof choices[0] === 'string' ? 'string' : 'integer'
    const schema = schemaTree({
      type: 'object',
      properties: { l: { type: 'array', items: { type, enum: choices } } },
    })
    const wrong = Array.from({ length: 200_000 }, (_, i) => (type === 'string' ? `x${i}` : i))
    const right = wrong.map((_, i) => choices[i % choices.length] ?? 0)
    const begin = process.cpuUsage().user
    assert.ok(accepts(schema, { l: right }))
    const errors = toFieldErrors(report(schema, { l: wrong }, '').findings, 'spec')
    const { status } = invalid({ group: 'example.com', kind: 'Thing' }, 'a', errors)
    // A search through all choices for all values takes minutes.
    assert.ok(process.cpuUsage().user - begin < 5_000_000)
    const message = status.message ?? ''
    assert.ok(/spec\.l\[0\]: Unsupported value: [^ ]+ supported values: /.test(message), message.slice(0, 200))
    assert.ok(message.endsWith(' more errors]'), message.slice(-200))
    assert.ok(JSON.stringify(status).length < 2 * 1024 * 1024)
  }
})
