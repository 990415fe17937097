import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileRegex } from './regex.js'

const matches = (pattern: string, text: string) => compileRegex(pattern).test(text)

test('Automaton: finds a match anywhere unless the pattern is anchored', () => {
  assert.equal(matches('b+', 'abc'), true)
  assert.equal(matches('^b+', 'abc'), false)
  assert.equal(matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-name-1'), true)
  assert.equal(matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-name-'), false)
  assert.equal(matches('', ''), true)
  assert.equal(matches('^$', 'x'), false)
  assert.equal(matches('^a|b$', 'xb'), true)
})

test('Automaton: checks assertions on both sides of a position', () => {
  assert.equal(matches('(?m)^b$', 'a\nb\nc'), true)
  assert.equal(matches('^b$', 'a\nb\nc'), false)
  assert.equal(matches('\\bcat\\b', 'a cat sat'), true)
  assert.equal(matches('\\bcat\\b', 'concat'), false)
  assert.equal(matches('\\Bcat', 'concat'), true)
  assert.equal(matches('\\b', ''), false)
})

test('Automaton: handles characters beyond ASCII', () => {
  assert.equal(matches('^\\pL+$', 'äöß'), true)
  assert.equal(matches('^.$', '😀'), true)
  assert.equal(matches('^[^a]{2}$', '😀ß'), true)
})

test('Automaton: takes linear time for every pattern', () => {
  const text = `${'a'.repeat(50_000)}!`
  for (const pattern of ['^(a+)+$', '^(a|aa)+$', '^(a*)*b$', '(a?){30}a{30}$', '(x+x+)+y']) {
    const start = process.hrtime.bigint()
    assert.equal(matches(pattern, text), false)
    assert.ok(process.hrtime.bigint() - start < 2_000_000_000n, pattern)
  }
})

test('Automaton: limits the memory for patterns with many states', () => {
  const pattern = compileRegex('(a|b)*a(a|b){14}c')
  const text = Array.from({ length: 60_000 }, (_, index) => ((index * 7919) % 13 < 6 ? 'a' : 'b')).join('')
  assert.equal(pattern.test(text), false)
  assert.equal(pattern.test(`a${'b'.repeat(14)}c`), true)
})

/** Patterns with the same meaning in RE2 and JavaScript. */
const sharedPattern = fc.letrec((tie) => ({
  atom: fc.oneof(
    fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\d', '.', '\\b', '^', '$'),
    fc.tuple(tie('either')).map(([inner]) => `(?:${inner})`),
  ),
  piece: fc
    .tuple(tie('atom'), fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}'))
    .map(([atom, count]) => (/^(?:\\b|\^|\$)$/.test(String(atom)) ? String(atom) : `${atom}${count}`)),
  sequence: fc.array(tie('piece'), { maxLength: 3 }).map((pieces) => pieces.join('')),
  either: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((parts) => parts.join('|')),
})).either as fc.Arbitrary<string>

test("Automaton: agrees with JavaScript's engine and with find", () => {
  fc.assert(
    fc.property(sharedPattern, fc.stringMatching(/^[ab1 ]{0,8}$/), (pattern, text) => {
      const regex = compileRegex(pattern)
      assert.equal(regex.test(text), new RegExp(pattern, 'u').test(text))
      assert.equal(regex.test(text), regex.find(text) !== undefined)
    }),
    { numRuns: 1000 },
  )
})
