import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import { formatFieldError } from '@orrery/kinds/values'
import type { JsonSchema } from './json-schema.js'
import { uniquenessErrors } from './list-type.js'
import { schemaTree } from './schema-tree.js'

function errorsOf(list: JsonSchema, value: JsonValue): string[] {
  const node = schemaTree({ type: 'object', properties: { list } })
  return uniquenessErrors({ list: value }, node, '').map(formatFieldError)
}

const set: JsonSchema = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } }

function mapBy(...keys: string[]): JsonSchema {
  return {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': keys,
    items: { type: 'object' },
  }
}

test('uniquenessErrors: reports a duplicate item of a set once', () => {
  assert.deepEqual(errorsOf(set, ['a', 'b']), [])
  assert.deepEqual(errorsOf(set, ['a', 'b', 'a', 'a']), ['list[2]: Duplicate value: "a"'])
  assert.deepEqual(
    errorsOf(set, [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
    ['list[1]: Duplicate value: {"b":2,"a":1}'],
  )
  assert.deepEqual(errorsOf(set, [1, '1']), [])
})

test('uniquenessErrors: items of a map list must differ in their keys', () => {
  assert.deepEqual(errorsOf(mapBy('name'), [{ name: 'a' }, { name: 'b' }]), [])
  assert.deepEqual(
    errorsOf(mapBy('name'), [
      { name: 'a', x: 1 },
      { name: 'a', x: 2 },
    ]),
    ['list[1]: Duplicate value: {"name":"a"}'],
  )
  assert.deepEqual(errorsOf(mapBy('name'), [{}, null]), ['list[1]: Duplicate value: {}'])
  assert.deepEqual(
    errorsOf(mapBy('port', 'name'), [
      { name: 'a', port: 1 },
      { name: 'a', port: 1 },
    ]),
    ['list[1]: Duplicate value: {"name":"a","port":1}'],
  )
  assert.deepEqual(errorsOf(mapBy('name'), [{}, 'x']), [
    'list[1]: Invalid value: "x": must be an object for an array of list-type map',
  ])
})

test('uniquenessErrors: checks lists inside lists and maps', () => {
  assert.deepEqual(errorsOf({ type: 'array', items: set }, [['a'], ['b', 'b']]), ['list[1][1]: Duplicate value: "b"'])
  assert.deepEqual(errorsOf({ type: 'object', additionalProperties: set }, { k: ['b', 'b'] }), [
    'list[k][1]: Duplicate value: "b"',
  ])
})
