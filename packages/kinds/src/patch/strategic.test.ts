import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject, JsonValue } from '../object.js'
import { StatusError } from '../values/index.js'
import { strategicMergePatch } from './strategic.js'
import { listOf, mapOf, STRING, struct } from './struct.fixture.js'

const container = struct({
  name: STRING,
  image: STRING,
  args: listOf(STRING),
  env: [listOf(struct({ name: STRING, value: STRING })), { patchStrategy: 'merge', patchMergeKey: 'name' }],
})
const SCHEMA = struct(
  {
    labels: mapOf(STRING),
    finalizers: [listOf(STRING), { patchStrategy: 'merge' }],
    containers: [listOf(container), { patchStrategy: 'merge', patchMergeKey: 'name' }],
    volumes: [
      listOf(struct({ name: STRING, emptyDir: struct({}), secret: struct({ name: STRING }) })),
      { patchStrategy: 'merge,retainKeys', patchMergeKey: 'name' },
    ],
    strategy: [struct({ type: STRING, rolling: struct({ surge: STRING }) }), { patchStrategy: 'retainKeys' }],
    whole: [mapOf(STRING), { patchStrategy: 'replace' }],
    rows: [listOf(listOf(STRING)), { patchStrategy: 'merge' }],
    unkeyed: [listOf(struct({ name: STRING })), { patchStrategy: 'merge' }],
  },
  { name: 'io.test.Thing' },
)

const patched = (original: JsonObject, patch: JsonObject) => strategicMergePatch(original, patch, SCHEMA)
const named = (names: string) => [...names].map((name) => ({ name }))

function refusal(original: JsonObject, patch: JsonValue): [number, string] {
  try {
    strategicMergePatch(original, patch, SCHEMA)
  } catch (error) {
    if (error instanceof StatusError) return [error.code, error.message]
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('strategicMergePatch: applies a patch', () => {
  const cases: [string, JsonObject, JsonObject, JsonObject][] = [
    ['merges maps', { labels: { a: '1', b: '2' } }, { labels: { a: null, c: '3' } }, { labels: { b: '2', c: '3' } }],
    ['drops nulls of what is new', {}, { labels: { a: null, b: '1' }, strategy: null }, { labels: { b: '1' } }],
    [
      'replaces lists that are not merged',
      { containers: [{ name: 'a', args: ['x'] }] },
      { containers: [{ name: 'a', args: ['y'] }] },
      { containers: [{ name: 'a', args: ['y'] }] },
    ],
    [
      'merges items by key',
      { containers: [{ name: 'a', image: '1' }, { name: 'b' }] },
      { containers: [{ name: 'b', image: '2' }] },
      {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
        ],
      },
    ],
    [
      'deletes an item',
      { containers: named('abc') },
      { containers: [{ name: 'b', $patch: 'delete' }] },
      { containers: named('ac') },
    ],
    [
      'replaces a list',
      { containers: named('ab') },
      { containers: [{ $patch: 'replace' }, { name: 'c' }] },
      { containers: named('c') },
    ],
    ['replaces a map', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
    ['empties a map', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
    ['replaces a map that is never merged', { whole: { a: '1' } }, { whole: { b: '2' } }, { whole: { b: '2' } }],
    [
      'merges lists of scalars',
      { finalizers: ['a', 'b'] },
      { finalizers: ['c', 'a'] },
      { finalizers: ['c', 'a', 'b'] },
    ],
    [
      'deletes from lists of scalars',
      { finalizers: ['a', 'b'] },
      { '$deleteFromPrimitiveList/finalizers': ['a'] },
      { finalizers: ['b'] },
    ],
    ['deletes from nothing', {}, { '$deleteFromPrimitiveList/finalizers': ['a'] }, {}],
    [
      'deletes before it adds',
      { finalizers: ['a', 'b'] },
      { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a', 'c'] },
      { finalizers: ['c', 'b'] },
    ],
    [
      'retains only the keys it names',
      { strategy: { type: 'Rolling', rolling: { surge: '1' } } },
      { strategy: { $retainKeys: ['type'], type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    [
      'retains keys of an item',
      { volumes: [{ name: 'v', secret: { name: 's' } }] },
      { volumes: [{ name: 'v', $retainKeys: ['name', 'emptyDir'], emptyDir: {} }] },
      { volumes: [{ name: 'v', emptyDir: {} }] },
    ],
    [
      'adds items without their directives',
      {},
      { containers: [{ name: 'a', $patch: 'delete' }, { name: 'b' }] },
      { containers: named('b') },
    ],
    ['does not add a map that is only a directive', {}, { labels: { $patch: 'delete' } }, {}],
    ['changes nothing for nothing', { labels: { a: '1' } }, {}, { labels: { a: '1' } }],
  ]
  for (const [what, original, patch, expected] of cases) {
    test(what, () => {
      const before = JSON.stringify([original, patch])
      assert.deepEqual(patched(original, patch), expected)
      assert.equal(JSON.stringify([original, patch]), before)
    })
  }

  const orders: [string, string, string, string][] = [
    ['abc', '', 'cab', 'cab'],
    ['abc', 'c', 'ca', 'bca'],
    ['abc', 'd', 'abcd', 'abcd'],
    ['abc', 'd', 'd', 'dabc'],
    ['abc', 'd', 'da', 'dabc'],
    ['bxa', 'a', 'ab', 'xab'],
    ['', 'ba', 'ba', 'ba'],
    ['ace', 'd-e-a', 'd', 'cd'],
    ['eca', 'dc-a', 'dc', 'edc'],
  ]
  for (const [live, change, order, expected] of orders) {
    test(`strategicMergePatch: orders items ${live || 'none'} with patch ${change || 'none'} and order ${order} as ${expected}`, () => {
      const items = change
        .match(/-?./g)
        ?.map((item) => (item.length === 2 ? { name: item[1], $patch: 'delete' } : { name: item }))
      const patch = {
        '$setElementOrder/containers': named(order),
        ...(items ? { containers: items } : {}),
      } as JsonObject
      const original = live === '' ? {} : { containers: named(live) }
      assert.deepEqual(patched(original, patch), { containers: named(expected) })
    })
  }

  test('strategicMergePatch: ignores an order for a missing list', () => {
    assert.deepEqual(patched({}, { '$setElementOrder/finalizers': ['a'] }), {})
  })

  test('strategicMergePatch: orders scalars', () => {
    const patch = { '$setElementOrder/finalizers': ['c', 'a'], finalizers: ['c'] }
    assert.deepEqual(patched({ finalizers: ['a', 'b'] }, patch), { finalizers: ['c', 'a', 'b'] })
  })

  const refused: [string, JsonObject, JsonValue, number, string | RegExp][] = [
    ['a list', {}, [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'retainKeys that is no list',
      {},
      { strategy: { $retainKeys: 'x' }, $retainKeys: 'x' },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'a member not retained',
      {},
      { $retainKeys: ['labels'], finalizers: [] },
      400,
      'invalid patch format of retainKeys',
    ],
    ['a deletion without a list', {}, { $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
    ['an order without a list', {}, { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
    [
      'an order that is no list',
      {},
      { '$setElementOrder/finalizers': 'a' },
      400,
      'expected a []interface {}, but received a string',
    ],
    [
      'an order of an unknown field',
      {},
      { '$setElementOrder/foo': [] },
      400,
      'unable to find api field in struct Thing for the json field "foo"',
    ],
    [
      'an order of an object',
      {},
      { '$setElementOrder/strategy': [] },
      400,
      'expected slice or array type, but got: struct',
    ],
    [
      'items out of order',
      {},
      { '$setElementOrder/containers': named('ab'), containers: named('ba') },
      400,
      /^The order in patch list:\n\[map\[name:b\] map\[name:a\]\]\n doesn't match \$setElementOrder list:/,
    ],
    [
      'an item without its key',
      { containers: named('a') },
      { containers: [{ image: 'x' }] },
      400,
      'map: map[image:x] does not contain declared merge key: name',
    ],
    ['an unknown directive', {}, { $patch: 'x', a: '1' }, 400, 'unknown patch type: x in map: map[$patch:x a:1]'],
    [
      'a merge directive in a list',
      { containers: named('a') },
      { containers: [{ name: 'a', $patch: 'merge' }] },
      400,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'an unknown directive in a list',
      { containers: named('a') },
      { containers: [{ name: 'a', $patch: 'x' }] },
      400,
      /^unknown patch type: x in map/,
    ],
    [
      'items of different types',
      { containers: named('a') },
      { containers: ['b'] },
      400,
      'list element types are not identical: [[map[name:a]] [b]]',
    ],
    ['lists of lists', { rows: [['a']] }, { rows: [['b']] }, 422, /rejected our request/],
    [
      'merging items that have no key',
      { unkeyed: named('a') },
      { unkeyed: named('b') },
      400,
      'cannot merge lists without merge key for struct',
    ],
  ]
  for (const [what, original, patch, code, message] of refused) {
    test(`strategicMergePatch: returns ${code} for ${what}`, () => {
      const [actualCode, actualMessage] = refusal(original, patch)
      assert.equal(actualCode, code)
      if (typeof message === 'string') assert.equal(actualMessage, message)
      else assert.match(actualMessage, message)
    })
  }

  test('strategicMergePatch: merges long lists in reasonable time', () => {
    const items = (offset: number) => Array.from({ length: 20_000 }, (_, i) => ({ name: `n${i + offset}` }))
    const patch = { containers: items(10_000), '$setElementOrder/containers': items(10_000) }
    assert.equal((patched({ containers: items(0) }, patch).containers as JsonValue[]).length, 30_000)
  })

  test('strategicMergePatch: treats names such as __proto__ as ordinary names', () => {
    const merged = patched({}, JSON.parse('{"labels":{"__proto__":"x"},"__proto__":{"polluted":"y"}}'))
    assert.equal(JSON.stringify(merged), '{"labels":{"__proto__":"x"},"__proto__":{"polluted":"y"}}')
    assert.equal(({} as JsonObject).polluted, undefined)
  })
})

test('strategicMergePatch: refuses to name one item repeatedly before it becomes expensive', () => {
  const times = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index))
  const wide = Object.fromEntries(times(20_000, (index) => [`k${index}`, 1]))
  const message = 'Request entity too large: the patch changes the same items too often'
  const again = { containers: [{ name: 'a', ...wide }, ...times(20_000, () => ({ name: 'a' }))] }
  assert.deepEqual(refusal({ containers: named('a') }, again), [413, message])
  const env = times(20_000, (index) => ({ name: `e${index}` }))
  const inner = { containers: times(20_000, () => ({ name: 'a', env: [{ name: 'x' }] })) }
  assert.deepEqual(refusal({ containers: [{ name: 'a', env }] }, inner), [413, message])
  const once = times(100_000, (index) => ({ name: `c${index}` }))
  assert.deepEqual(patched({ containers: once }, { containers: once }), { containers: once })
  assert.deepEqual(patched({}, { containers: once }), { containers: once })
})
