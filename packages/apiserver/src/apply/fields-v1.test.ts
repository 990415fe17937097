import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import { itemElement, UnkeyedItem } from './element.js'
import { parseFieldSet } from './fields-v1.js'
import { INTEGER, listOf, STRING, struct } from './widget.fixture.js'

describe('parseFieldSet', () => {
  test('normalises keys and values', () => {
    const fields = parseFieldSet({ 'k:{ "b": 1,"a":"x" }': { 'f:q': {} }, 'v: "s" ': {}, 'i:+07': {} })
    assert.deepEqual(Object.keys(fields), ['k:{"a":"x","b":1}', 'v:"s"', 'i:7'])
  })

  test('sorts elements', () => {
    const fields = parseFieldSet({ 'v:2': {}, 'v:10': {}, 'f:b': {}, 'v:"1"': {}, 'v:true': {}, 'f:a': {}, 'i:0': {} })
    assert.deepEqual(Object.keys(fields), ['f:a', 'f:b', 'v:2', 'v:10', 'v:"1"', 'v:true', 'i:0'])
  })

  test('drops unknown kinds of elements', () => {
    assert.deepEqual(parseFieldSet({ 'x:new': {}, 'f:a': { 'y:new': {} } }), { 'f:a': {} })
  })

  test('returns the empty set for no value', () => {
    assert.deepEqual(parseFieldSet(undefined), {})
    assert.deepEqual(parseFieldSet({ 'f:a': null }), { 'f:a': {} })
  })

  for (const [what, fields] of Object.entries<JsonValue>({
    'a list': [],
    'a key without a kind': { a: {} },
    'a key without a colon': { name: {} },
    'a node that is a string': { 'f:a': 'x' },
    'a key that is not JSON': { 'k:{"a"': {} },
    'a key that is no object': { 'k:[1]': {} },
    'a value that is not JSON': { 'v:x': {} },
    'an index that is no number': { 'i:x': {} },
  })) {
    test(`refuses ${what}`, () => assert.throws(() => parseFieldSet(fields)))
  }

  test('handles deep nesting', () => {
    let fields: JsonValue = {}
    for (let depth = 0; depth < 1000; depth++) fields = { 'f:a': fields }
    assert.equal(JSON.stringify(parseFieldSet(fields)), JSON.stringify(fields))
  })
})

describe('itemElement', () => {
  const ports = listOf(struct({ port: INTEGER, protocol: [STRING, { default: 'TCP' }] }), 'map', ['protocol', 'port'])

  test('sorts keys and fills in their defaults', () => {
    assert.equal(itemElement({ port: 80 }, ports), 'k:{"port":80,"protocol":"TCP"}')
    assert.equal(itemElement({ protocol: 'UDP', port: 53 }, ports), 'k:{"port":53,"protocol":"UDP"}')
  })

  test('omits a key without a value and a default', () => {
    assert.equal(itemElement({ protocol: 'UDP' }, ports), 'k:{"protocol":"UDP"}')
  })

  test('escapes text like Go', () => {
    assert.equal(itemElement('a<b>&\u2028', listOf(STRING, 'set')), 'v:"a\\u003cb\\u003e\\u0026\\u2028"')
  })

  test('refuses items without a key', () => {
    const names = listOf(struct({ name: STRING, kind: STRING }), 'map', ['name', 'kind'])
    const refused = (item: JsonValue, list: typeof names, message: RegExp) =>
      assert.throws(
        () => itemElement(item, list),
        (error) => error instanceof UnkeyedItem && message.test(error.message),
      )
    refused({ other: 1 }, names, /omits all key fields \["name" "kind"\]/)
    refused(null, names, /null element/)
    refused('x', names, /non-map elements/)
    refused(null, listOf(STRING, 'set'), /explicit null/)
    refused([], listOf(STRING, 'set'), /lists as elements/)
    refused({}, listOf(STRING, 'set'), /map type/)
  })
})
