import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonSchema } from '@orrery/cel/schema'
import { followFieldPath } from './field-path.js'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        'a.b': { type: 'string' },
        map: { type: 'object', additionalProperties: { type: 'integer' } },
        "it's": { type: 'boolean' },
      },
    },
  },
}

test('followFieldPath: follows dots and brackets to fields and map values', () => {
  assert.deepEqual(followFieldPath('.spec.map', schema).path, 'spec.map')
  assert.deepEqual(followFieldPath(".spec['a.b']", schema), { path: 'spec.a.b', schema: { type: 'string' } })
  assert.deepEqual(followFieldPath('.spec.map.x', schema), { path: 'spec.map[x]', schema: { type: 'integer' } })
  assert.deepEqual(followFieldPath(".spec['it\\'s']", schema).schema, { type: 'boolean' })
})

test('followFieldPath: reports why a path is invalid', () => {
  const cases: [string, string][] = [
    ['spec', 'expected [ or . but got: spec'],
    ['.nope', 'does not refer to a valid field'],
    ['.constructor', 'does not refer to a valid field'],
    ['.spec.', 'unexpected end of JSON path'],
    ['.spec[map]', 'expected single quoted string but got map'],
    [".spec['map'", 'unexpected end of JSON path'],
    [".spec['map'x", 'expected ] but got x'],
    [".spec['\\q']", 'invalid string literal: invalid escape char \\q'],
    ['.spec.map.x.y', 'does not refer to a valid field'],
  ]
  for (const [path, message] of cases) assert.throws(() => followFieldPath(path, schema), { message }, path)
  assert.throws(() => followFieldPath(".spec['map']", schema, false), { message: 'array notation is not allowed' })
})
