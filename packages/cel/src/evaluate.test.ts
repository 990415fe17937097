import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CelEvaluationFailure, compile } from './compile.js'
import { outcome } from './testing.fixture.js'
import { dynType } from './type.js'

function cases(table: readonly (readonly [string, unknown])[]): void {
  for (const [source, expected] of table) assert.deepEqual(outcome(source), expected, source)
}

test('evaluate: integers have 64 bits', () => {
  cases([
    ['9223372036854775807 + 1', 'error: integer overflow'],
    ['-9223372036854775808 - 1', 'error: integer overflow'],
    ['9223372036854775807 * 2', 'error: integer overflow'],
    ['-9223372036854775808 / -1', 'error: integer overflow'],
    ['-(-9223372036854775808)', 'error: integer overflow'],
    ['9007199254740993 + 1', '9007199254740994'],
    ['9007199254740993 - 9007199254740992', 1],
    ['1 / 0', 'error: division by zero'],
    ['1 % 0', 'error: modulus by zero'],
    ['7 / -2', -3],
    ['-7 % 3', -1],
    ['1u - 2u', 'error: unsigned integer overflow'],
    ['5u / 2u', '2u'],
    ['0 * -5 == 0', true],
  ])
})

test('evaluate: integer arithmetic is exact or an error', () => {
  const int64 = fc.oneof(
    fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
    fc.integer().map(BigInt),
    fc.constantFrom(0n, 1n, -1n, 1n << 53n, (1n << 63n) - 1n, -(1n << 63n)),
  )
  const literal = (value: bigint) => (value < 0n ? `(${value})` : `${value}`)
  const operators: [string, (a: bigint, b: bigint) => bigint][] = [
    ['+', (a, b) => a + b],
    ['-', (a, b) => a - b],
    ['*', (a, b) => a * b],
  ]
  fc.assert(
    fc.property(int64, int64, fc.constantFrom(...operators), (a, b, [sign, exact]) => {
      const expected = exact(a, b)
      const fits = BigInt.asIntN(64, expected) === expected
      const result = outcome(`${literal(a)} ${sign} ${literal(b)}`)
      assert.equal(String(result), fits ? String(expected) : 'error: integer overflow')
    }),
  )
})

test('evaluate: numbers of different types compare by value', () => {
  cases([
    ['dyn(1) == 1.0', true],
    ['dyn(1u) == 1', true],
    ['1 < 1.5', true],
    ['2.0 >= 1u', true],
    // As in cel-go, an integer compares with a double as the nearest double.
    ['9007199254740993 > 9007199254740992.0', false],
    ['9007199254740993 > 9007199254740992', true],
    ['dyn(1) in [1.0]', true],
    ['{1: "a"}[dyn(1.0)]', 'a'],
    ['0.0 / 0.0 == 0.0 / 0.0', false],
    ['0.0 / 0.0 < 1.0', 'error: NaN values cannot be ordered'],
  ])
})

test('evaluate: equality is deep and never fails', () => {
  cases([
    ['[[1], [2]] == [[1], [2]]', true],
    ['{"a": [1]} == {"a": [1]}', true],
    ['x.list == [1, 2]', true],
    ['x.map == {"k": "v"}', true],
    ['x.a == x.s', false],
    ['x.nothing == null', true],
    ['b"a" == b"a"', true],
    ['type(x.a) == int && type(x.list) == list && type(null) == null_type', true],
    ['duration("60s") == duration("1m")', true],
  ])
})

test('evaluate: && and || absorb an error if the other side decides', () => {
  cases([
    ['false && 1 / 0 > 0', false],
    ['1 / 0 > 0 && false', false],
    ['1 / 0 > 0 || true', true],
    ['1 / 0 > 0 || false', 'error: division by zero'],
    ['x.a && true', 'error: no such overload'],
    ['x.s ? 1 : 2', 'error: no such overload'],
    ['[0, 1].exists(i, 1 / i > 0)', true],
    ['[1, 0].all(i, 1 / i > 5)', false],
    ['[1, 0].all(i, 1 / i > 0)', 'error: division by zero'],
  ])
})

test('evaluate: selects fields, keys and indexes', () => {
  cases([
    ['x.a', 1],
    ['x["a"]', 1],
    ['x.map.k', 'v'],
    ['x.nope', 'error: no such key: nope'],
    ['x.a.b', 'error: no such key: b'],
    ['x.list[1]', 2],
    ['x.list[2]', 'error: index out of bounds: 2'],
    ['x.list[-1]', 'error: index out of bounds: -1'],
    ['x.list["a"]', "error: unsupported index type 'string' in list"],
    ['x.s[1.5]', 'error: no such key: 1.5'],
    ['x.s[x.list]', 'error: invalid qualifier type: list'],
    ['x.map[x]', 'error: invalid qualifier type: map'],
    ['x.map[?x.list].orValue(1)', 'error: invalid qualifier type: list'],
    ['has(x.a)', true],
    ['has(x.nope)', false],
    ['has(x.a.b)', false],
    ['"k" in x.map', true],
    ['x.constructor', 'error: no such key: constructor'],
    ['has(x.__proto__)', false],
    ['{"a": 1, "a": 2}', 'error: Failed with repeated key: a'],
  ])
})

test('evaluate: collection macros', () => {
  cases([
    ['[1, 2, 3].all(i, i > 0)', true],
    ['[1, 2, 3].exists(i, i > 2)', true],
    ['[1, 2, 3].exists_one(i, i > 2)', true],
    ['[1, 2, 3].filter(i, i > 1)', [2, 3]],
    ['[1, 2, 3].map(i, i * 2)', [2, 4, 6]],
    ['[1, 2, 3].map(i, i > 1, i * 2)', [4, 6]],
    ['{"a": 1, "b": 2}.map(k, k)', ['a', 'b']],
    ['x.items.filter(i, i.v > 1).map(i, i.name)', ['q']],
    [
      'x.list.map(i, x.list.map(j, i * j))',
      [
        [1, 2],
        [2, 4],
      ],
    ],
    ['x.list.all(i, v, i < v)', true],
    ['x.list.transformList(i, v, i + v)', [1, 3]],
    ['x.list.transformMap(i, v, v > 1, v * 2)', { 1: 4 }],
    ['x.map.transformMapEntry(k, v, {v: k})', { v: 'k' }],
    ['x.items.transformMapEntry(i, v, {"same": i})', 'error: insert failed: key same already exists'],
    ['[].all(i, false) && ![].exists(i, true)', true],
    ['x.a.all(i, true)', "error: got 'types.Int', expected iterable type"],
  ])
})

test('evaluate: a stored result is not changed by the next evaluation', () => {
  const compiled = compile('x.map(i, i)', { variables: { x: dynType } })
  assert.ok(compiled.ok)
  const first = compiled.program.evaluate({ x: [1, 2] }).value
  compiled.program.evaluate({ x: [3] })
  assert.deepEqual([...(first as Iterable<unknown>)], [1, 2])
})

test('evaluate: an unbound variable is an error when it is used', () => {
  const compiled = compile('true || x', { variables: { x: dynType } })
  assert.ok(compiled.ok)
  assert.equal(compiled.program.evaluate({}).value, true)
  assert.equal(outcome('x', { bindings: {} }), 'error: no such attribute(s): x')
})

test('evaluate: a failure tells errors of the expression from internal ones', () => {
  const compiled = compile('x.y == 1', { variables: { x: dynType } })
  assert.ok(compiled.ok)
  const { program } = compiled
  const failsBy = (isInternal: boolean, x: object, costLimit = 100) => {
    const isSo = (error: unknown) => error instanceof CelEvaluationFailure && error.isInternal === isInternal
    assert.throws(() => program.evaluate({ x }, { costLimit }), isSo)
  }
  const broken = {
    get y(): never {
      throw new TypeError('out of order')
    },
  }
  failsBy(false, {})
  failsBy(false, { y: 1 }, 0)
  failsBy(true, broken)
})

test('compile: reports the variables that the program uses', () => {
  const compiled = compile('[1].all(i, i > a)', { variables: { a: dynType, b: dynType, i: dynType } })
  assert.ok(compiled.ok)
  assert.deepEqual([...compiled.program.uses].sort(), ['a', 'i'])
})

test('evaluate: compares and formats deep data', () => {
  let deep: unknown = 1
  for (let i = 0; i < 1000; i++) deep = { down: [deep] }
  assert.equal(outcome('x == x && size("%s".format([x])) > 1000', { bindings: { x: deep } }), true)
})
