import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { compareObjects } from './compare.js'
import { UnkeyedItem } from './element.js'
import { WIDGET, widget } from './widget.fixture.js'

function compare(before: JsonObject, after: JsonObject, zeroes = false) {
  const result = compareObjects(widget({ spec: before }) as JsonObject, widget({ spec: after }) as JsonObject, WIDGET, {
    zeroes,
  })
  const spec = (set: Record<string, unknown>) => set['f:spec'] ?? {}
  return { added: spec(result.added), modified: spec(result.modified), removed: spec(result.removed) }
}

const NONE = { added: {}, modified: {}, removed: {} }

describe('compareObjects', () => {
  test('returns nothing for equal objects', () => {
    const spec = { replicas: 1, ports: [{ port: 80 }], raw: { a: [1, { b: null }] } }
    assert.deepEqual(compare(spec, structuredClone(spec)), NONE)
  })

  test('reports an added, modified or removed leaf', () => {
    assert.deepEqual(compare({}, { note: 'a' }), { ...NONE, added: { 'f:note': {} } })
    assert.deepEqual(compare({ note: 'a' }, { note: 'b' }), { ...NONE, modified: { 'f:note': {} } })
    assert.deepEqual(compare({ note: 'a' }, {}), { ...NONE, removed: { 'f:note': {} } })
  })

  test('reports an added object with all its fields', () => {
    const added = { 'f:nested': { '.': {}, 'f:a': {}, 'f:deeper': { '.': {}, 'f:c': {} } } }
    assert.deepEqual(compare({}, { nested: { deeper: { c: 'x' }, a: 'y' } }), { ...NONE, added })
  })

  test('finds items by key at any position', () => {
    const before = { ports: [{ port: 1 }, { port: 2, name: 'two' }] }
    const after = { ports: [{ port: 2, name: 'zwei', protocol: 'TCP' }, { port: 1 }] }
    assert.deepEqual(compare(before, after), {
      ...NONE,
      added: { 'f:ports': { 'k:{"port":2,"protocol":"TCP"}': { 'f:protocol': {} } } },
      modified: { 'f:ports': { 'k:{"port":2,"protocol":"TCP"}': { 'f:name': {} } } },
    })
  })

  test('reports added and removed set items', () => {
    assert.deepEqual(compare({ tags: ['a', 'b'] }, { tags: ['c', 'b'] }), {
      ...NONE,
      added: { 'f:tags': { 'v:"c"': {} } },
      removed: { 'f:tags': { 'v:"a"': {} } },
    })
  })

  test('reports atomic values as a whole', () => {
    assert.deepEqual(compare({ order: ['a'], selector: { a: 'b' } }, { order: ['b'], selector: { a: 'c' } }), {
      ...NONE,
      modified: { 'f:order': {}, 'f:selector': {} },
    })
  })

  test('distinguishes missing, null and empty only if both sides are empty', () => {
    assert.deepEqual(compare({ nested: {} }, { nested: null }), { ...NONE, modified: { 'f:nested': {} } })
    assert.deepEqual(compare({ tags: [] }, { tags: null }), { ...NONE, modified: { 'f:tags': {} } })
    assert.deepEqual(compare({ tags: null }, { tags: ['a'] }), { ...NONE, added: { 'f:tags': { 'v:"a"': {} } } })
    assert.deepEqual(compare({}, { nested: {} }), { ...NONE, added: { 'f:nested': {} } })
  })

  test('reports a value without a schema that changes its type as modified, with its parts', () => {
    assert.deepEqual(compare({ raw: { a: { b: 1 } } }, { raw: { a: 'text' } }), {
      ...NONE,
      modified: { 'f:raw': { 'f:a': {} } },
      removed: { 'f:raw': { 'f:a': { 'f:b': {} } } },
    })
    assert.deepEqual(compare({ raw: { a: [1] } }, { raw: { a: { b: 1 } } }), {
      ...NONE,
      modified: { 'f:raw': { 'f:a': {} } },
      added: { 'f:raw': { 'f:a': { 'f:b': {} } } },
    })
  })

  test('treats items with duplicate keys as one value', () => {
    const two = [
      { port: 1, name: 'a' },
      { port: 1, name: 'b' },
    ]
    const key = 'k:{"port":1,"protocol":"TCP"}'
    const whole = { 'f:ports': { [key]: {} } }
    const parts = { 'f:ports': { [key]: { '.': {}, 'f:name': {}, 'f:port': {} } } }
    assert.deepEqual(compare({ ports: two }, { ports: [two[1] as JsonObject, two[0] as JsonObject] }), {
      ...NONE,
      modified: whole,
    })
    assert.deepEqual(compare({ ports: two }, { ports: two.slice(0, 1) }), { ...NONE, removed: whole, added: parts })
    assert.deepEqual(compare({ ports: two.slice(0, 1) }, { ports: two }), { ...NONE, added: whole, removed: parts })
  })

  test('fails for an item without a key', () => {
    assert.throws(() => compare({ parts: [{}] }, { parts: [{ image: 'x' }] }), UnkeyedItem)
  })

  test('ignores metadata without an owner', () => {
    const before = widget({}, { uid: 'a', resourceVersion: '1', labels: { a: 'b' } }) as JsonObject
    const after = widget({}, { uid: 'b', resourceVersion: '2', managedFields: [] }) as JsonObject
    const { added, modified, removed } = compareObjects(before, after, WIDGET, { zeroes: false })
    assert.deepEqual({ added, modified }, { added: {}, modified: {} })
    assert.deepEqual(removed, { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } })
  })

  test('ignores zero values of built-in kinds', () => {
    const fields = (zeroes: boolean) =>
      compareObjects({}, widget({ spec: { parts: [{ name: 'a' }] }, status: {} }) as JsonObject, WIDGET, { zeroes })
        .added
    const item = { 'k:{"name":"a"}': { '.': {}, 'f:name': {} } }
    assert.deepEqual(fields(true), { 'f:spec': { 'f:parts': item } })
    assert.deepEqual(fields(false), {
      'f:spec': { '.': {}, 'f:parts': { '.': {}, ...item } },
      'f:status': {},
    })
  })

  test('treats names such as __proto__ as ordinary names', () => {
    const before = { values: JSON.parse('{"__proto__":{"x":1},"constructor":{"x":1}}') }
    const after = { values: JSON.parse('{"__proto__":{"x":2},"toString":{"x":1}}') }
    assert.deepEqual(compare(before, after), {
      added: { 'f:values': { 'f:toString': { '.': {}, 'f:x': {} } } },
      modified: { 'f:values': { 'f:__proto__': { 'f:x': {} } } },
      removed: { 'f:values': { 'f:constructor': { '.': {}, 'f:x': {} } } },
    })
  })
})
