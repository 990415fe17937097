import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from './compile.js'
import { outcome } from './testing.fixture.js'
import { dynType, formatType, intType, listType, mapType, objectType, optionalType, stringType } from './type.js'

const variables = {
  n: intType,
  s: stringType,
  list: listType(stringType),
  map: mapType(stringType, intType),
  any: dynType,
  maybe: optionalType(intType),
  self: objectType('Self', new Map([['name', { name: 'name', type: stringType }]])),
}

function typeOf(source: string): string {
  const compiled = compile(source, { variables })
  return compiled.ok
    ? formatType(compiled.program.outputType)
    : compiled.issues.map(({ message }) => message).join('; ')
}

test('check: infers types', () => {
  const cases: [string, string][] = [
    ['n + 1', 'int'],
    ['any + 1', 'int'],
    ['any', 'dyn'],
    ['list[0]', 'string'],
    ['map["a"]', 'int'],
    ['map.a', 'int'],
    ['list.map(i, i.size())', 'list(int)'],
    ['list.map(i, [i])', 'list(list(string))'],
    ['list.filter(i, i != "")', 'list(string)'],
    ['map.transformMap(k, v, string(v))', 'map(string, string)'],
    ['[]', 'list(dyn)'],
    ['[[], [1]]', 'list(list(int))'],
    ['{}', 'map(dyn, dyn)'],
    ['{"a": [1]}', 'map(string, list(int))'],
    ['true ? [] : [1]', 'list(int)'],
    ['any ? 1 : 2', 'int'],
    ['self.name', 'string'],
    ['self.?name', 'optional_type(string)'],
    ['maybe.orValue(1)', 'int'],
    ['maybe.optMap(v, string(v))', 'optional_type(string)'],
    ['map[?"a"]', 'optional_type(int)'],
    ['type(n)', 'type(int)'],
    ['timestamp("2020-01-01T00:00:00Z") - duration("1s")', 'timestamp'],
    ['list.sortBy(i, i.size())', 'list(string)'],
    ['quantity("1").add(1)', 'kubernetes.Quantity'],
  ]
  for (const [source, type] of cases) assert.equal(typeOf(source), type, source)
})

test("check: rejects type errors with cel-go's messages", () => {
  const cases: [string, string][] = [
    ['n + s', "found no matching overload for '_+_' applied to '(int, string)'"],
    ['n == s', "found no matching overload for '_==_' applied to '(int, string)'"],
    ['n == 1.0', "found no matching overload for '_==_' applied to '(int, double)'"],
    ['s.startsWith(1)', "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ['foo', "undeclared reference to 'foo' (in container '')"],
    ['foo()', "undeclared reference to 'foo' (in container '')"],
    ['s.foo()', "undeclared reference to 'foo' (in container '')"],
    ['self.nope', "undefined field 'nope'"],
    ['has(self.nope)', "undefined field 'nope'"],
    ['n.x', "type 'int' does not support field selection"],
    ['n.all(i, true)', "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"],
    ['list.all(i, i)', "expected type 'bool' but found 'string'"],
    ['list.exists_one(i, i)', "found no matching overload for '_?_:_' applied to '(string, int, int)'"],
    ['n && true', "expected type 'bool' but found 'int'"],
    ['true ? n : s', "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
    ['[n, s]', "expected type 'int' but found 'string'"],
    ['{"a": n, "b": s}', "expected type 'int' but found 'string'"],
    ['[n, any]', "expected type 'int' but found 'dyn'"],
    ['[?n]', "expected type 'optional_type(int)' but found 'int'"],
    ['n in list', "found no matching overload for '@in' applied to '(int, list(string))'"],
    ['duration("x")', 'invalid duration argument'],
    ['timestamp("x")', 'invalid timestamp argument'],
    ['s.matches("(")', 'invalid matches argument'],
    ['"%d".format([s])', 'error during formatting: decimal clause can only be used on integers, was given string'],
    ['"%d".format([1, 2])', 'too many arguments supplied to string.format (expected 1, got 2)'],
    ['"%s %s".format([1])', 'index 1 out of range'],
    ['int("a")', "type conversion error from 'string' to 'int'"],
  ]
  for (const [source, message] of cases) assert.equal(typeOf(source), message, source)
})

test('check: reports all issues, in the order of the source', () => {
  assert.equal(
    outcome('a + b'),
    "undeclared reference to 'a' (in container ''); undeclared reference to 'b' (in container '')",
  )
})

test('check: a list in the arguments of format may be mixed', () => {
  assert.equal(outcome('"%d %s".format([1, "a"])'), '1 a')
})

test('check: a fold variable shadows one of the environment', () => {
  assert.deepEqual(outcome('[1, 2].map(x, x + 1)'), [2, 3])
})
