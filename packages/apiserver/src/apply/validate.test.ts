import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import type { Schema } from '@orrery/kinds/tables'
import { invalidConfiguration } from './validate.js'
import { WIDGET } from './widget.fixture.js'

const listOf = (items: Schema): Schema => ({ type: 'list', items, topology: 'atomic', keys: [] })

describe('invalidConfiguration', () => {
  const cases: [string, JsonObject, string | undefined][] = [
    ['a good one', { replicas: 1, raw: { any: [1] }, ports: [{ port: 1 }], note: null }, undefined],
    ['an undeclared field', { foo: 1 }, '.spec.foo: field not declared in schema'],
    ['a number for text', { note: 1 }, '.spec.note: expected string, got &value.valueUnstructured{Value:1}'],
    ['text for a number', { replicas: '1' }, '.spec.replicas: expected numeric (int or float), got string'],
    ['text for a boolean', { paused: 'yes' }, '.spec.paused: expected boolean, got &{yes}'],
    ['an object for a quantity', { size: { a: 1 } }, '.spec.size: expected any scalar, got &{map[a:1]}'],
    ['a list for an object', { nested: ['a'] }, '.spec.nested: expected map, got &{[a]}'],
    ['an object for a list', { tags: { a: 'b' } }, '.spec.tags: expected list, got &{map[a:b]}'],
    [
      'a wrong item of an atomic list',
      { order: ['a', 2] },
      '.spec.order[1]: expected string, got &value.valueUnstructured{Value:2}',
    ],
    [
      'two items with one key',
      { ports: [{ port: 1 }, { port: 1, protocol: 'TCP' }] },
      '.spec.ports: duplicate entries for key [port=1,protocol="TCP"]',
    ],
    ['a value twice in a set', { tags: ['a', 'a'] }, '.spec.tags: duplicate entries for key [="a"]'],
    [
      'an item without a key',
      { parts: [{ image: 'x' }] },
      '.spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      'a wrong field of an item',
      { parts: [{ name: 'a', image: 1 }] },
      '.spec.parts[name="a"].image: expected string, got &value.valueUnstructured{Value:1}',
    ],
    [
      'several mistakes',
      { replicas: '1', nested: { z: 1 } },
      'errors:\n  .spec.replicas: expected numeric (int or float), got string\n  .spec.nested.z: field not declared in schema',
    ],
  ]
  for (const [what, spec, expected] of cases) {
    test(what, () => assert.equal(invalidConfiguration({ spec }, WIDGET), expected))
  }

  test('reports a limited number of errors, also below a long key', () => {
    const order = Array.from({ length: 500_000 }, () => 1)
    assert.ok((invalidConfiguration({ spec: { order } }, WIDGET) ?? '').length < 100_000)
    const lists: Schema = { type: 'map', atomic: false, values: listOf({ type: 'string' }) }
    const below = invalidConfiguration({ ['x'.repeat(1_000_000)]: order }, lists) ?? ''
    assert.match(below, /expected string/)
    assert.ok(below.length < 10_000_000)
  })

  test('accepts unknown fields where the schema preserves them', () => {
    assert.equal(invalidConfiguration({ more: { a: 1 } }, { ...WIDGET, preserveUnknown: true }), undefined)
  })
})
