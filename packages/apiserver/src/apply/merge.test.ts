import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { fieldSet } from './algebra.js'
import { mergeApplied } from './merge.js'
import { removeFields } from './remove.js'
import { fitToSchema, withDeclaredFields } from './reshape.js'
import { WIDGET } from './widget.fixture.js'

function merge(live: JsonObject, config: JsonObject): JsonValue {
  return (mergeApplied({ spec: live }, { spec: config }, WIDGET).spec ?? null) as JsonValue
}

const named = (names: string) => [...names].map((name) => ({ name }))
const names = (list: JsonValue) => (list as { name: string }[]).map((item) => item.name).join('')

describe('mergeApplied', () => {
  test('takes leaves from the configuration and keeps the rest', () => {
    assert.deepEqual(merge({ note: 'a', replicas: 1 }, { note: 'b', paused: true }), {
      note: 'b',
      replicas: 1,
      paused: true,
    })
  })

  test('merges objects, maps and items, and replaces atomic values', () => {
    assert.deepEqual(
      merge(
        {
          nested: { a: '1' },
          values: { k: { x: 1 } },
          order: ['a'],
          selector: { a: 'b' },
          parts: [{ name: 'p', image: 'i' }],
        },
        {
          nested: { b: '2' },
          values: { k: { y: 'z' } },
          order: ['b'],
          selector: { c: 'd' },
          parts: [{ name: 'p', args: ['x'] }],
        },
      ),
      {
        nested: { a: '1', b: '2' },
        values: { k: { x: 1, y: 'z' } },
        order: ['b'],
        selector: { c: 'd' },
        parts: [{ name: 'p', image: 'i', args: ['x'] }],
      },
    )
  })

  test('merges objects but not lists in parts without a schema', () => {
    assert.deepEqual(merge({ raw: { a: { b: 1 }, l: [1] } }, { raw: { a: { c: 2 }, l: [2] } }), {
      raw: { a: { b: 1, c: 2 }, l: [2] },
    })
    assert.deepEqual(merge({ raw: { a: { b: 1 } } }, { raw: { a: 'x' } }), { raw: { a: 'x' } })
    assert.deepEqual(merge({ raw: { a: 'x' } }, { raw: { a: { b: 1 } } }), { raw: { a: { b: 1 } } })
  })

  test('keeps a value with parts under null', () => {
    assert.deepEqual(merge({ nested: { a: '1' }, tags: ['a'] }, { nested: null, tags: null }), {
      nested: { a: '1' },
      tags: ['a'],
    })
    assert.deepEqual(merge({ note: 'a', nested: {} }, { note: null, nested: null }), { note: null, nested: null })
  })

  for (const [live, config, expected] of [
    ['abc', 'abc', 'abc'],
    ['abc', 'cba', 'cba'],
    ['abc', 'b', 'abc'],
    ['abc', 'd', 'abcd'],
    ['abc', 'ca', 'bca'],
    ['abc', 'xb', 'axbc'],
    ['abcd', 'dxb', 'acdxb'],
    ['', 'ba', 'ba'],
    ['abc', '', 'abc'],
    ['abab', 'b', 'aba'],
    ['abc', 'xyz', 'abcxyz'],
  ] as const) {
    test(`merges items ${live || 'none'} with ${config || 'none'} to ${expected}`, () => {
      assert.equal(names((merge({ parts: named(live) }, { parts: named(config) }) as JsonObject).parts ?? []), expected)
    })
  }

  test('replaces items with duplicate keys by the applied one', () => {
    const live = { parts: [{ name: 'a', image: '1' }, { name: 'a', image: '2' }, { name: 'b' }] }
    assert.deepEqual(merge(live, { parts: [{ name: 'a', args: [] }] }), {
      parts: [{ name: 'a', args: [] }, { name: 'b' }],
    })
  })

  test('shares unchanged values', () => {
    const live = { spec: { parts: named('ab'), nested: { a: '1' } } }
    assert.equal(mergeApplied(live, { spec: { parts: named('b'), nested: { a: '1' } } }, WIDGET).spec, live.spec)
  })
})

describe('removeFields', () => {
  const remove = (spec: JsonObject, ...paths: string[][]) =>
    removeFields({ spec }, fieldSet(...paths.map((path) => ['spec', ...path])), WIDGET)

  test('removes a field with everything below', () => {
    assert.deepEqual(remove({ note: 'a', nested: { a: '1' } }, ['nested']), { spec: { note: 'a' } })
  })

  test('keeps an emptied container', () => {
    assert.deepEqual(remove({ note: 'a', nested: { a: '1' } }, ['nested', 'a']), { spec: { note: 'a', nested: {} } })
    const tags = { 'f:spec': { 'f:tags': { 'v:"a"': {} } } }
    assert.deepEqual(removeFields({ spec: { tags: ['a'] } }, tags, WIDGET), { spec: { tags: [] } })
  })

  test('does not split an atomic value', () => {
    const spec = { selector: { a: 'b' } }
    assert.deepEqual(remove(spec, ['selector', 'a']), { spec })
  })

  test('removes items by key', () => {
    const set = { 'f:spec': { 'f:parts': { 'k:{"name":"a"}': {}, 'k:{"name":"b"}': { 'f:image': {} } } } }
    const parts = [{ name: 'a' }, { name: 'b', image: 'i' }, { name: 'c' }]
    assert.deepEqual(removeFields({ spec: { parts } }, set, WIDGET), {
      spec: { parts: [{ name: 'b' }, { name: 'c' }] },
    })
  })

  test('ignores missing fields', () => {
    const object = { spec: { note: 'a' } }
    assert.equal(removeFields(object, fieldSet(['spec', 'x'], ['y']), WIDGET), object)
  })
})

describe('withDeclaredFields, fitToSchema', () => {
  test('name declared fields but not map keys', () => {
    assert.deepEqual(withDeclaredFields(fieldSet(['spec', 'values', 'k', 'x']), WIDGET), {
      'f:spec': { '.': {}, 'f:values': { '.': {}, 'f:k': { 'f:x': {} } } },
    })
  })

  test('own a value as a whole if it became atomic', () => {
    const old = {
      'f:spec': { 'f:selector': { '.': {}, 'f:a': {} }, 'f:order': { 'v:"a"': {} }, 'f:nested': { 'f:a': {} } },
    }
    assert.deepEqual(fitToSchema(old, WIDGET), {
      'f:spec': { 'f:selector': {}, 'f:order': {}, 'f:nested': { 'f:a': {} } },
    })
  })

  test('return the same set if it matches', () => {
    const set = fieldSet(['spec', 'nested', 'a'], ['spec', 'selector'])
    assert.equal(fitToSchema(set, WIDGET), set)
  })
})
