import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Automaton } from './automaton.js'

const matches = (pattern: string, text: string) => new Automaton(pattern).matches(text)

test('patterns are searched for unless they are anchored', () => {
  assert.equal(matches('b+', 'abc'), true)
  assert.equal(matches('^b+', 'abc'), false)
  assert.equal(matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-name-1'), true)
  assert.equal(matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-name-'), false)
  assert.equal(matches('', ''), true)
  assert.equal(matches('^$', 'x'), false)
})

test('the syntax of RE2 is understood where JavaScript has another', () => {
  assert.equal(matches('(?i)^widget$', 'WiDgEt'), true)
  assert.equal(matches('^(?i:a)b$', 'Ab'), true)
  assert.equal(matches('^(?i:a)b$', 'AB'), false)
  assert.equal(matches('^[[:alpha:]_]+$', 'ab_c'), true)
  assert.equal(matches('^\\pL+$', 'äöß'), true)
  assert.equal(matches('^\\p{Greek}+$', 'αβγ'), true)
  assert.equal(matches('^\\P{^Greek}+$', 'αβγ'), true)
  assert.equal(matches('\\Aab\\z', 'ab'), true)
  assert.equal(matches('^\\Qa.b\\E$', 'a.b'), true)
  assert.equal(matches('^\\Qa.b\\E$', 'axb'), false)
  assert.equal(matches('^(?P<year>\\d{4})-(?<month>\\d\\d)$', '2024-05'), true)
  assert.equal(matches('^\\x{1F600}$', '😀'), true)
  assert.equal(matches('^.$', '😀'), true)
  assert.equal(matches('^.$', '\n'), false)
  assert.equal(matches('(?s)^.$', '\n'), true)
  assert.equal(matches('(?m)^b$', 'a\nb'), true)
  assert.equal(matches('a$', 'a\n'), false)
  assert.equal(matches('\\bcat\\b', 'a cat sat'), true)
  assert.equal(matches('\\bcat\\b', 'concat'), false)
  assert.equal(matches('\\Bcat', 'concat'), true)
  assert.equal(matches('^a{2,3}$', 'aaa'), true)
  assert.equal(matches('^a{2,3}$', 'aaaa'), false)
  assert.equal(matches('^a{,3}$', 'a{,3}'), true)
  assert.equal(matches('^(a|bc)*?$', 'abcbca'), true)
  assert.equal(matches('^[^\\s]+$', 'a\u00a0b'), true)
  assert.equal(matches('^[]a]+$', ']a'), true)
  assert.equal(matches('^[a-]+$', 'a-'), true)
  assert.equal(matches('^\\101$', 'A'), true)
  assert.equal(matches('^a|b$', 'xb'), true)
})

test('what RE2 refuses is refused in the words of Go', () => {
  const cases: [string, string][] = [
    ['(', 'missing closing ): `(`'],
    ['a)', 'unexpected ): `a)`'],
    ['[a', 'missing closing ]: `[a`'],
    ['[z-a]', 'invalid character class range: `z-a`'],
    ['*a', 'missing argument to repetition operator: `*`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    ['a*+', 'invalid nested repetition operator: `*+`'],
    ['a{1001}', 'invalid repeat count: `{1001}`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)', 'invalid or unsupported Perl syntax: `(?<!`'],
    ['(a)\\1', 'invalid escape sequence: `\\1`'],
    ['\\y', 'invalid escape sequence: `\\y`'],
    ['a\\', 'trailing backslash at end of expression: ``'],
    ['\\pX', 'invalid character class range: `\\pX`'],
    ['[[:nope:]]', 'invalid character class range: `[:nope:]`'],
  ]
  for (const [pattern, message] of cases) {
    assert.throws(() => new Automaton(pattern), { message: `error parsing regexp: ${message}` }, pattern)
  }
})

test('no pattern makes matching slow', () => {
  const text = `${'a'.repeat(50_000)}!`
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a*)*b$', '(a?){30}a{30}$', '(x+x+)+y']) {
    const start = process.hrtime.bigint()
    assert.equal(matches(pattern, text), false)
    assert.ok(process.hrtime.bigint() - start < 2_000_000_000n, pattern)
  }
})

test('a pattern of very many states stays within bounds', () => {
  const pattern = new Automaton('(a|b)*a(a|b){14}c')
  const text = Array.from({ length: 60_000 }, (_, index) => ((index * 7919) % 13 < 6 ? 'a' : 'b')).join('')
  assert.equal(pattern.matches(text), false)
  assert.equal(pattern.matches(`a${'b'.repeat(14)}c`), true)
})

test('a huge or deep pattern is refused, not expanded', () => {
  assert.throws(() => new Automaton('((a{100}){100}){100}'), /invalid repeat count/)
  assert.throws(() => new Automaton('('.repeat(2000)), /nests too deeply/)
})

/** Patterns that mean the same in both languages. */
const sharedPattern = fc.letrec((tie) => ({
  atom: fc.oneof(
    fc.constantFrom('a', 'b', 'c', '[ab]', '[^a]', '\\d', '.'),
    fc.tuple(tie('either')).map(([inner]) => `(?:${inner})`),
  ),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}'))
    .map(([atom, count]) => `${atom}${count}`),
  sequence: fc.array(tie('piece'), { maxLength: 3 }).map((pieces) => pieces.join('')),
  either: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((parts) => parts.join('|')),
})).either as fc.Arbitrary<string>

test('it agrees with the engine of JavaScript where the syntax does', () => {
  fc.assert(
    fc.property(sharedPattern, fc.stringMatching(/^[abc1]{0,8}$/), fc.boolean(), (pattern, text, anchored) => {
      const source = anchored ? `^(?:${pattern})$` : pattern
      assert.equal(matches(source, text), new RegExp(source, 'u').test(text))
    }),
    { numRuns: 500 },
  )
})
