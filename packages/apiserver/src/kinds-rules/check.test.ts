import assert from 'node:assert/strict'
import test from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import type { FieldError } from '@orrery/kinds/values'
import { type Check, nonNegative, oneOf, required, struct } from './check.js'
import { sameValue } from './read.js'

function fieldsOf(check: Check, value: JsonObject): string[] {
  const errors: FieldError[] = []
  check(value, '', errors)
  return errors.map((error) => error.field)
}

test('rules are found by path: through structs, lists and maps', () => {
  const check = struct({
    'spec.name': required(),
    'spec.ports[].port': nonNegative,
    'spec.amounts{}': nonNegative,
    'extra?.kind': oneOf('A', 'B'),
  })
  assert.deepEqual(fieldsOf(check, {}), ['spec.name'])
  const value = { spec: { name: 'x', ports: [{ port: 1 }, { port: -1 }], amounts: { b: -1, a: -2 } }, extra: {} }
  assert.deepEqual(fieldsOf(check, value), ['spec.ports[1].port', 'spec.amounts[a]', 'spec.amounts[b]', 'extra.kind'])
})

test('rules about the struct itself stand where they are written', () => {
  const report =
    (field: string): Check =>
    (_value, _at, errors) => {
      errors.push({ reason: 'FieldValueInvalid', field, body: '' })
    }
  const check = struct({
    '. first': report('1'),
    a: report('2'),
    '. second': [report('3'), report('4')],
    b: report('5'),
  })
  assert.deepEqual(fieldsOf(check, {}), ['1', '2', '3', '4', '5'])
})

test('an absent field equals one that holds nothing', () => {
  assert.equal(sameValue({ a: 1, b: false, c: [] }, { a: 1, d: {}, e: '' }), true)
  assert.equal(sameValue({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }), false)
  assert.equal(sameValue({ a: 1 }, undefined), false)
  assert.equal(sameValue(JSON.parse('{"__proto__": 1}'), {}), false)
})
