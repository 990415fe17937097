import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costs, outcome } from './testing.fixture.js'
import { dynType, intType, listType, objectType, optionalType, stringType, withData } from './type.js'

test('cost: evaluations have the cost of Kubernetes', () => {
  const cases: [string, number][] = [
    ['x', 1],
    ['x.a', 2],
    ['x.map.k', 3],
    ['x.list[0]', 3],
    ['x.list[x.a]', 4],
    ['has(x.map.k)', 2],
    ['x.a + 1', 3],
    ['[1, 2]', 0],
    ['[x.a]', 12],
    ['{"a": x.a}', 32],
    ['x.s == "str"', 3],
    ['x.s in ["a", "str"]', 2],
    ['[1, 2, 3].all(i, i > 0)', 16],
    ['[1, 2, 3].exists_one(i, i > 2)', 10],
    ['[1, 2, 3].filter(i, i > 1)', 33],
    ['true ? x.a : x.s', 1],
    ['x.?map.?k', 3],
    ['x.?nope.hasValue()', 2],
    ['x.s.matches("^s.*")', 3],
    ['[3, 1].sortBy(e, -e)', 50],
    ['lists.range(3)', 14],
    ['ip("10.0.0.1")', 1],
    ['quantity("1Gi").isInteger()', 2],
  ]
  for (const [source, cost] of cases) assert.equal(costs(source).actual, cost, source)
})

test('cost: stops an evaluation over the limit', () => {
  const exceeded = 'error: operation cancelled: actual cost limit exceeded'
  const long = { x: Array.from({ length: 1000 }, (_, i) => i) }
  assert.equal(outcome('x.all(i, x.all(j, x.all(k, i + j + k >= 0)))', { bindings: long }), exceeded)
  assert.equal(outcome('x.map(i, i).size()', { bindings: long, costLimit: 100 }), exceeded)
  assert.equal(outcome('lists.range(1000000000)'), exceeded)
  // No expression can absorb this error.
  assert.equal(outcome('true || lists.range(1000000000).size() > 0'), true)
  assert.equal(outcome('lists.range(1000000000).size() > 0 || true'), exceeded)
})

test('cost: rejects strings that exceed the memory before they are built', () => {
  const exceeded = 'error: operation cancelled: actual cost limit exceeded'
  const bindings = { x: 'a'.repeat(100_000) }
  assert.equal(outcome('x.replace("", x)', { bindings }), exceeded)
  assert.equal(outcome('lists.range(1000).map(i, x).join(x)', { bindings }), exceeded)
})

test('cost: compiles a chain of macros that use their target twice in linear time', () => {
  const chain = `x.?a${'.optMap(v, v + 1)'.repeat(100)}.orValue(0)`
  assert.equal(outcome(chain), 'error: operation cancelled: actual cost limit exceeded')
  assert.equal(outcome(`x.?a${'.optMap(v, v + 1)'.repeat(5)}.orValue(0)`), 6)
})

test('estimate: follows the bounds of the declared types', () => {
  const bounded = { l: withData(listType(withData(intType, { maxElements: 0 })), { maxElements: 10 }) }
  assert.equal(costs('l.all(i, i > 0)', { variables: bounded, bindings: { l: [] } }).estimated, 10 * 5 + 2)
  assert.equal(
    costs('l.all(i, l.all(j, i > j))', { variables: bounded, bindings: { l: [] } }).estimated,
    10 * (3 + 62) + 2,
  )
  const unbounded = { l: listType(stringType) }
  assert.ok(costs('l.all(i, true)', { variables: unbounded, bindings: { l: [] } }).estimated >= 2 ** 63)
})

test('estimate: an optional value is as large as its content may be', () => {
  const text = withData(stringType, { maxElements: 100 })
  const fields = new Map([['f', { name: 'f', type: text }]])
  const variables = { s: text, old: optionalType(text), struct: optionalType(objectType('struct', fields)) }
  const estimated = (source: string) => costs(source, { variables, bindings: { s: '', old: '', struct: {} } }).estimated
  assert.equal(estimated('old == optional.of(s)'), 13)
  assert.equal(estimated('optional.of(s) == old'), 13)
  assert.equal(estimated('struct.f == optional.of(s)'), 13)
  // An intermediate result has no name and no bound.
  assert.ok(estimated('old.orValue("") == old.value()') > 2 ** 60)
})

test('estimate: names of types have no bound', () => {
  assert.ok(costs('type(x) == type(1)').estimated > 2 ** 60)
})

test('estimate: is never below the actual cost', () => {
  const text = withData(stringType, { maxElements: 100 })
  const variables = { s: text, l: withData(listType(text), { maxElements: 5 }), x: dynType }
  const bindings = { s: 'a'.repeat(100), l: ['a', 'bb', 'a'.repeat(100), 'd', 'e'] }
  const sources = [
    's + s == s',
    's.matches("^a+$")',
    'l.all(i, i.size() < 1000)',
    'l.map(i, i + "x").exists(i, i == s)',
    'l.filter(i, i != "d").size() > 2',
    'l.join(",").contains("bb")',
    'l.sort() == l',
    's.replace("a", "bb").size() == 200',
    's.split("").size() == 100',
    'sets.contains(l, ["a"])',
    'l[0].upperAscii() == "A"',
    '[s, l[1]].all(i, i.size() > 0)',
  ]
  for (const source of sources) {
    const { actual, estimated } = costs(source, { variables, bindings })
    assert.ok(actual <= estimated, `${source}: ${actual} > ${estimated}`)
  }
})
