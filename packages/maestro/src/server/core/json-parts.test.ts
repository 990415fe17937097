import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isNull, itemsOf, JsonError, membersOf } from './json-parts.js'

test('membersOf: gives the bytes of each value', () => {
  const members = membersOf(Buffer.from(' { "a" : [1, {"b":"}\\""}] ,"ä\\n":null, "n":-1.5e3 , "s":"x"}\n'))
  assert.deepEqual(
    [...members].map(([key, value]) => [key, String(value)]),
    [
      ['a', '[1, {"b":"}\\""}]'],
      ['ä\n', 'null'],
      ['n', '-1.5e3'],
      ['s', '"x"'],
    ],
  )
  assert.ok(isNull(members.get('ä\n')!))
  assert.equal(membersOf(Buffer.from('{}')).size, 0)
})

for (const text of [
  '',
  'null',
  '[]',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1',
  '{"a":1}}',
  '{a:1}',
  '{"a":1,}',
  '{"a":"x',
  '{"a":[1}',
]) {
  test(`membersOf: refuses ${JSON.stringify(text)}`, () => {
    assert.throws(() => membersOf(Buffer.from(text)), JsonError)
  })
}

test('membersOf: finds the end of long strings', () => {
  const backslashes = fc.array(fc.constantFrom('\\', '"', 'x', 'ä'.repeat(20), '{'), { maxLength: 80 })
  fc.assert(
    fc.property(backslashes, (parts) => {
      const value = { a: parts.join(''), b: [parts.join('')], c: 1 }
      const members = membersOf(Buffer.from(JSON.stringify(value)))
      assert.deepEqual(
        [...members].map(([key, part]) => [key, JSON.parse(String(part))]),
        Object.entries(value),
      )
    }),
  )
  assert.throws(() => membersOf(Buffer.from(`{"a":"${'x'.repeat(100)}\\"}`)), JsonError)
})

test('itemsOf: gives the bytes of each item', () => {
  assert.deepEqual(itemsOf(Buffer.from('[ {"a":[]}, 2 ,"]" ]')).map(String), ['{"a":[]}', '2', '"]"'])
  assert.deepEqual(itemsOf(Buffer.from(' [ ] ')), [])
  for (const text of ['', '{}', '[', '[1', '[1,]', '[1]]', '[,]']) {
    assert.throws(() => itemsOf(Buffer.from(text)), JsonError, text)
  }
})

test('membersOf and itemsOf: find the parts of any JSON', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2), (value, indent) => {
      const members = membersOf(Buffer.from(JSON.stringify(value, undefined, indent)))
      const parsed = Object.fromEntries([...members].map(([key, part]) => [key, JSON.parse(String(part))]))
      assert.deepEqual(parsed, JSON.parse(JSON.stringify(value)))
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (value) => {
      const items = itemsOf(Buffer.from(JSON.stringify(value)))
      assert.deepEqual(
        items.map((item) => JSON.parse(String(item))),
        JSON.parse(JSON.stringify(value)),
      )
    }),
  )
})
