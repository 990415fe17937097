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

test('struct: finds rules by path through structs, lists and maps', () => {
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

test('struct: runs rules of the struct itself in the order of the table', () => {
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

test('sameValue: treats an absent field like its zero value', () => {
  assert.equal(sameValue({ a: 1, b: false, c: [] }, { a: 1, d: {}, e: '' }), true)
  assert.equal(sameValue({ a: [{ b: 1 }] }, { a: [{ b: 2 }] }), false)
  assert.equal(sameValue({ a: 1 }, undefined), false)
  assert.equal(sameValue(JSON.parse('{"__proto__": 1}'), {}), false)
})
