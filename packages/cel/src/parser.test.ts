import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from './compile.js'
import { outcome } from './testing.fixture.js'
import { dynType } from './type.js'

function cases(table: readonly (readonly [string, unknown])[]): void {
  for (const [source, expected] of table) assert.deepEqual(outcome(source), expected, source)
}

test('parse: operators bind as in C', () => {
  cases([
    ['1 + 2 * 3 - 4 / 2 % 3', 5],
    ['(1 + 2) * 3', 9],
    ['2 - 1 - 1', 0],
    ['!false && true || false', true],
    ['1 < 2 == true', true],
    ['false ? 1 : true ? 2 : 3', 2],
    ['1 in [1] && 2 in [2]', true],
    ['-2 * -3', 6],
    ['--2', 2],
    ['!!true', true],
    ['- -2', 2],
  ])
})

test('parse: literals', () => {
  cases([
    ['0x1F', 31],
    ['0xFFu', '255u'],
    ['1e3', 1000],
    ['.5', 0.5],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9223372036854775808', 'invalid int literal'],
    ['18446744073709551616u', 'invalid uint literal'],
    ['1e999', 'invalid double literal'],
    ["'a\\x41\\u00e9\\U0001F600\\101\\n'", 'aAé😀A\n'],
    ["r'a\\n'", 'a\\n'],
    ['"""a\n"b"""', 'a\n"b'],
    ["b'\\xff\\101'", '/0E='],
    ['[1, 2,]', [1, 2]],
    ['{"a": 1,}', { a: 1 }],
    ['[,]', []],
    ['null', null],
  ])
})

test('parse: comments and line ends are white space', () => {
  assert.equal(outcome('1 // one\n  + 2'), 3)
})

test("parse: rejects syntax errors with cel-go's messages", () => {
  const start =
    "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
  cases([
    ['1 +', `Syntax error: mismatched input '<EOF>' ${start}`],
    ['a b', "Syntax error: extraneous input 'b' expecting <EOF>"],
    ['(1', "Syntax error: missing ')' at '<EOF>'"],
    ['[1', "Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
    ['[1 2]', "Syntax error: extraneous input '2' expecting {']', ','}"],
    ['x.', "Syntax error: no viable alternative at input '.'"],
    ['1 = 1', "Syntax error: token recognition error at: '= '; Syntax error: extraneous input '1' expecting <EOF>"],
    ['"abc', `Syntax error: token recognition error at: '"abc'; Syntax error: mismatched input '<EOF>' ${start}`],
    ['if', 'reserved identifier: if'],
    ['x.`a`', "unsupported syntax: '`'"],
    ['[1].all(x.y, true)', 'argument must be a simple name'],
    ['[1].map(x.y, true)', 'argument is not an identifier'],
    ['[1].all(i, i, true)', 'duplicate variable name: i'],
    ['has(x)', 'invalid argument to has() macro'],
    ['Foo{a: 1}', "undeclared reference to 'Foo' (in container '')"],
  ])
})

test('formatIssues: shows the position', () => {
  const compiled = compile('x.all(i,\n  é.b)', { variables: { x: dynType } })
  assert.equal(compiled.ok, false)
  const simple = compile('x + y', { variables: { x: dynType } })
  assert.ok(!simple.ok)
  assert.deepEqual(simple.issues, [{ message: "undeclared reference to 'y' (in container '')", line: 1, column: 4 }])
  assert.equal(simple.message, "ERROR: <input>:1:5: undeclared reference to 'y' (in container '')\n | x + y\n | ....^")
})

test('parse: limits nesting, length and chains, but accepts long conditions', () => {
  assert.match(String(outcome(`${'('.repeat(300)}1${')'.repeat(300)}`)), /recursion limit exceeded/)
  assert.match(String(outcome(`1${' + 1'.repeat(300)}`)), /max recursion depth exceeded/)
  assert.match(String(outcome(`x${'.a'.repeat(300)}`)), /max recursion depth exceeded/)
  assert.match(String(outcome(' '.repeat(100_001))), /expression code point size exceeds limit/)
  assert.equal(outcome(`true${' && true'.repeat(5_000)}`), true)
})
