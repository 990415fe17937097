import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileRegex } from './regex.js'

function found(pattern: string, text: string): string | undefined {
  const match = compileRegex(pattern).find(text)
  return match === undefined ? undefined : text.slice(match.start, match.end)
}

test('compileRegex: matches as RE2 does', () => {
  const cases: [string, string, string | undefined][] = [
    ['abc', 'xabcx', 'abc'],
    ['a|ab', 'ab', 'a'],
    ['(?:ab|a)b?', 'ab', 'ab'],
    ['a*?b', 'aab', 'aab'],
    ['a+', 'baaac', 'aaa'],
    ['a{2,3}', 'aaaa', 'aaa'],
    ['a{2,}?', 'aaaa', 'aa'],
    ['^b', 'ab', undefined],
    ['(?m)^b', 'a\nb', 'b'],
    ['a$', 'a\n', undefined],
    ['.', '\n', undefined],
    ['(?s).', '\n', '\n'],
    ['(?i)ÄB', 'äb', 'äb'],
    ['[^a-c]+', 'abcde', 'de'],
    ['[]a]+', 'a]', 'a]'],
    ['[[:alpha:]_-]+', '1a_-', 'a_-'],
    ['\\d+\\.\\d+', 'v1.20', '1.20'],
    ['\\bfoo\\b', 'a foo b', 'foo'],
    ['\\pL+', '1äb2', 'äb'],
    ['\\p{Greek}', 'aβ', 'β'],
    ['[^\\d\\s]+', '1 ab', 'ab'],
    ['\\Qa.b\\E', 'a.b', 'a.b'],
    ['(?P<name>x)y', 'xy', 'xy'],
    ['\\x41\\x{1F600}', 'A😀', 'A😀'],
    ['.', '😀', '😀'],
    ['', 'a', ''],
    ['x{,2}', 'x{,2}', 'x{,2}'],
    ['(a*)*', 'aa', 'aa'],
    ['(|a)+', 'aa', ''],
  ]
  for (const [pattern, text, expected] of cases) assert.equal(found(pattern, text), expected, pattern)
})

test("compileRegex: rejects invalid patterns with Go's messages", () => {
  const cases: [string, string][] = [
    ['(', 'missing closing ): `(`'],
    [')', 'unexpected ): `)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['*', 'missing argument to repetition operator: `*`'],
    ['{2}', 'missing argument to repetition operator: `{2}`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)', 'invalid or unsupported Perl syntax: `(?<!`'],
    ['\\1', 'invalid escape sequence: `\\1`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['\\p{Nope}', 'invalid character class range: `\\p{Nope}`'],
  ]
  for (const [pattern, message] of cases) {
    assert.throws(() => compileRegex(pattern), { message: `error parsing regexp: ${message}` }, pattern)
  }
})

test('compileRegex: takes linear time for patterns that make backtracking engines hang', () => {
  for (const pattern of ['(a+)+$', '(a|aa)+$', '(.*)*x', '(a?){20}a{20}$']) {
    assert.equal(compileRegex(pattern).test(`${'a'.repeat(5_000)}!`), false)
  }
  assert.throws(() => compileRegex(`(${'(?:abc|d*e)+'.repeat(100)}){1000}`), /expression too large/)
})

test('compileRegex: multiplies nested repetitions as Go does, also of the empty string', () => {
  const repeated = (...counts: string[]) => counts.reduce((inner, count) => `(?:${inner})${count}`, '')
  for (const counts of [
    ['{1000}', '{2}'],
    ['{40}', '{0,30}'],
    ['{2}', '*', '{501,}'],
    ['{9}', '{9}', '{13}'],
  ]) {
    const message = `error parsing regexp: invalid repeat count: \`${counts.at(-1)}\``
    assert.throws(() => compileRegex(repeated(...counts)), { message })
  }
  for (const counts of [
    ['{1000}', '+'],
    ['{500}', '{2}'],
    ['{1000}', '{1}', '?'],
    ['{1000}', '{0}'],
  ]) {
    assert.equal(compileRegex(repeated(...counts)).test('x'), true)
  }
})

test('compileRegex: simple patterns agree with the native engine', () => {
  const atom = fc.constantFrom('a', 'b', '.', '[ab]', '(a|b)', '(ab)', '(?:a|bc)', '^', '$')
  const piece = fc
    .tuple(atom, fc.constantFrom('', '?', '*', '+', '{2}', '*?'))
    .map(([a, r]) => (/[\^$]/.test(a) ? a : a + r))
  const pattern = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(''))
  const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 }).map((letters) => letters.join(''))
  fc.assert(
    fc.property(pattern, text, (source, input) => {
      const native = new RegExp(source, 'u').exec(input)
      const match = compileRegex(source).find(input)
      assert.deepEqual(
        match,
        native === null ? undefined : { start: native.index, end: native.index + native[0].length },
      )
    }),
    { numRuns: 500 },
  )
})

test('compileRegex: ignoring case covers all forms of a letter', () => {
  for (const forms of ['kK\u212a', 'sSſ', 'åÅ\u212b', 'σΣς', 'éÉ', 'ßẞ', 'µμΜ', 'тТᲄᲅ']) {
    for (const one of forms) {
      assert.equal(compileRegex(`^(?i)${one}+$`).test(forms), true, forms)
      assert.equal(compileRegex(`^(?i:[${one}])+$`).test(forms), true, forms)
    }
  }
  assert.equal(compileRegex('(?i)i').test('İı'), false)
  assert.equal(compileRegex('(?i)ı').test('iI'), false)
})

test('compileRegex: rejects a pattern of megabytes before parsing', () => {
  const begin = process.cpuUsage().user
  assert.throws(() => compileRegex('a,'.repeat(1_500_000)), /expression too large: `(a,)+\.\.\.`/)
  assert.ok(process.cpuUsage().user - begin < 200_000)
})
