import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parse as parseElsewhere, stringify } from 'yaml'
import { YamlError } from './cursor.js'
import { parseYaml } from './parse.js'

const parse = (text: string) => parseYaml(text).value

function refusal(text: string): string {
  try {
    parseYaml(text)
  } catch (error) {
    assert.ok(error instanceof YamlError, String(error))
    return error.message
  }
  return assert.fail(`was accepted: ${text}`)
}

describe('parseYaml: collections', () => {
  test('nest block mappings and sequences by indentation', () => {
    assert.deepEqual(parse('a: 1\nb:\n  c: 2\n  d:\n    - x\n    - p: 1\n      q: 2\n'), {
      a: 1,
      b: { c: 2, d: ['x', { p: 1, q: 2 }] },
    })
  })

  test('allow a sequence at the column of its key', () => {
    assert.deepEqual(parse('a:\n- 1\n- 2\nb: 3'), { a: [1, 2], b: 3 })
    assert.deepEqual(parse('- a:\n  - 1\n  b: 2\n-\n  c: 3\n'), [{ a: [1], b: 2 }, { c: 3 }])
  })

  test('nest sequences in sequences', () => {
    assert.deepEqual(parse('- - 1\n  - 2\n- - 3'), [[1, 2], [3]])
  })

  test('read missing values as null', () => {
    assert.deepEqual(parse('a:\nb: ~\nc:\n-\n- null\nd: {e, f: }'), {
      a: null,
      b: null,
      c: [null, null],
      d: { e: null, f: null },
    })
    assert.equal(parse(''), null)
    assert.equal(parse('# only a comment\n'), null)
  })

  test('read flow collections over several lines and JSON', () => {
    assert.deepEqual(parse('a: [1, "two",\n  {three: 3, "four":4} , ] # end\nb: {}\nc: []'), {
      a: [1, 'two', { three: 3, four: 4 }],
      b: {},
      c: [],
    })
    assert.deepEqual(parse('[a: 1, b]'), [{ a: 1 }, 'b'])
  })

  test('read explicit keys', () => {
    assert.deepEqual(parse('? a\n: 1\n? b\n? "c"\n: - 2'), { a: 1, b: null, c: [2] })
  })

  test('convert keys of other types to strings', () => {
    assert.deepEqual(parse('1: a\ntrue: b\n1.5: c\n"x y": d'), { '1': 'a', true: 'b', '1.5': 'c', 'x y': 'd' })
  })

  test('keep the last value of a duplicate key and report the key', () => {
    const { value, repeats } = parseYaml('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n')
    assert.deepEqual(value, { a: 3, b: { c: 2 } })
    assert.deepEqual(repeats, ['line 4: key "c" already set in map', 'line 5: key "a" already set in map'])
    assert.equal(parseYaml(`{${'a: 1, '.repeat(300)}}`).repeats.length, 100)
  })
})

describe('parseYaml: scalars', () => {
  test('follow YAML 1.1 and Go if they are plain', () => {
    const cases: [string, unknown][] = [
      ['yes', true],
      ['Off', false],
      ['y', true],
      ['null', null],
      ['12', 12],
      ['-3', -3],
      ['0x1F', 31],
      ['0b11', 3],
      ['010', 8],
      ['0o17', 15],
      ['1_000', 1000],
      ['1.5e3', 1500],
      ['.5', 0.5],
      ['1.20', 1.2],
      ['1.2.3', '1.2.3'],
      ['12:30:45', '12:30:45'],
      ['2026-01-01', '2026-01-01'],
      ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
      ['a:b', 'a:b'],
      ['a#b', 'a#b'],
      ['http://x/y?z', 'http://x/y?z'],
      ['-x', '-x'],
      ['10Mi', '10Mi'],
      ['+', '+'],
      ['.', '.'],
      ['!!str 12', '12'],
      ['!!binary aGk=', 'hi'],
    ]
    for (const [text, expected] of cases) assert.deepEqual(parse(`v: ${text}`), { v: expected }, text)
  })

  test('end at a comment only after white space', () => {
    assert.deepEqual(parse('a: b #c\nd: "e" # f\n# g\nh: i#j'), { a: 'b', d: 'e', h: 'i#j' })
  })

  test('continue over lines if they are plain', () => {
    assert.deepEqual(parse('a: one\n  two\n\n  three\nb: x'), { a: 'one two\nthree', b: 'x' })
  })

  test('fold and unescape if they are quoted', () => {
    assert.deepEqual(parse(`a: 'it''s\n  so'\nb: "x\\ty\\u00e9\\x41\\\n   z"\nc: "1"`), {
      a: "it's so",
      b: 'x\tyéAz',
      c: '1',
    })
    assert.deepEqual(parse('a: "one\n\n  two"'), { a: 'one\ntwo' })
    assert.deepEqual(parse('"a b": 1\n\'c\': 2'), { 'a b': 1, c: 2 })
  })

  test('keep their lines if they are literal', () => {
    assert.deepEqual(parse('a: |\n  one\n    two\n\n  three\n\nb: 1'), { a: 'one\n  two\n\nthree\n', b: 1 })
    assert.deepEqual(parse('a: |-\n  one\n\nb: |+\n  two\n\nc: 1'), { a: 'one', b: 'two\n\n', c: 1 })
    assert.deepEqual(parse('a: |2\n    two\n'), { a: '  two\n' })
    assert.deepEqual(parse('- |\n a\n- b'), ['a\n', 'b'])
    assert.deepEqual(parse('a: |\nb: 1'), { a: '', b: 1 })
  })

  test('join their lines if they are folded', () => {
    assert.deepEqual(parse('a: >\n  one\n  two\n\n  three\n    four\n  five\n'), {
      a: 'one two\nthree\n  four\nfive\n',
    })
    assert.deepEqual(parse('a: >-\n  one\n  two\n'), { a: 'one two' })
  })
})

describe('parseYaml: references', () => {
  test('copy the anchored value for an alias', () => {
    const value = parse('a: &x {k: [1]}\nb: *x\nc: &y text\nd: [*y, *y]') as { a: unknown; b: unknown }
    assert.deepEqual(value, { a: { k: [1] }, b: { k: [1] }, c: 'text', d: ['text', 'text'] })
    assert.notEqual(value.a, value.b)
  })

  test('anchor a whole mapping before it, and a key before the key', () => {
    assert.deepEqual(parse('a: &x\n  b: 1\nc: *x'), { a: { b: 1 }, c: { b: 1 } })
    assert.deepEqual(parse('&k key: 1\nv: *k'), { key: 1, v: 'key' })
  })

  test('fill in missing keys from merge keys', () => {
    assert.deepEqual(parse('x: &x {a: 1, b: 2}\nw: &w {b: 3, c: 4}\nz:\n  <<: [*x, *w]\n  a: 0\n'), {
      x: { a: 1, b: 2 },
      w: { b: 3, c: 4 },
      z: { a: 0, b: 2, c: 4 },
    })
    assert.deepEqual(parse('"<<": 1'), { '<<': 1 })
  })

  test('limit the size that aliases add', () => {
    const levels = Array.from({ length: 12 }, (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1},`.repeat(9)}]`)
    assert.match(refusal(levels.join('\n')), /excessive aliasing/)
    assert.match(refusal('a: &a [*a]'), /unknown anchor/)
  })
})

describe('parseYaml: documents', () => {
  test('returns only the first', () => {
    assert.deepEqual(parse('%YAML 1.1\n---\na: 1\n---\nb: ]'), { a: 1 })
    assert.deepEqual(parse('---\na: |\n  x\n...\n'), { a: 'x\n' })
    assert.deepEqual(parse('--- {a: 1}'), { a: 1 })
  })

  test('reads everything that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        if (/__proto__|\d{16}|\\ud|e[+-]?\d{3}/i.test(text)) return
        assert.deepEqual(parse(text), JSON.parse(text))
        assert.deepEqual(parse(JSON.stringify(value, undefined, 2)), JSON.parse(text))
      }),
    )
  })

  test('reads what another library writes', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }),
        fc.constantFrom<'BLOCK_LITERAL' | 'BLOCK_FOLDED' | 'PLAIN' | 'QUOTE_DOUBLE' | 'QUOTE_SINGLE'>(
          'BLOCK_LITERAL',
          'BLOCK_FOLDED',
          'PLAIN',
          'QUOTE_DOUBLE',
          'QUOTE_SINGLE',
        ),
        fc.constantFrom<'any' | 'block' | 'flow'>('any', 'block', 'flow'),
        (value, defaultStringType, collectionStyle) => {
          const json = JSON.stringify(value)
          if (/__proto__|\d{16}|\\u00|<<|e[+-]?\d{3}/i.test(json)) return
          const text = stringify(value, { version: '1.1', defaultStringType, collectionStyle, lineWidth: 40 })
          // That library does not write the indentation of blocks with only spaces, and cannot read them either.
          if (JSON.stringify(parseElsewhere(text, { version: '1.1' })) !== json) return
          assert.equal(JSON.stringify(parse(text)), json, text)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('parseYaml: refuses', () => {
  test('invalid YAML, with its line', () => {
    const cases: [string, RegExp][] = [
      ['a: b: c', /line 1: mapping values are not allowed/],
      ['a: 1\n b: 2', /line 2: /],
      ['a: [1', /did not find expected/],
      ['a: "x', /unexpected end of stream/],
      ['a:\n\t- b', /line 2: found a tab/],
      ['a: @b', /cannot start any token/],
      ['a\nb: 1', /line 2: /],
      ['- a\nb', /line 2: /],
      ['a: *nobody', /unknown anchor/],
      ['{a: 1}: 2', /line 1/],
      ['a: \u0001', /control characters/],
      ['a: 9007199254740993', /cannot be represented exactly/],
      ['a: .inf', /JSON has no value/],
      ['__proto__: 1', /__proto__/],
      ['a: {__proto__: 1}', /__proto__/],
      ['"\\ud800"', /invalid Unicode/],
    ]
    for (const [text, expected] of cases) assert.match(refusal(text), expected, text)
  })

  test('unlimited nesting, without a stack overflow', () => {
    for (const part of ['[', '{', '{a: ', '- ', '? ', '!a ', '&a ', '* ', ': ']) refusal(part.repeat(100_000))
  })
})

test('parseYaml: takes linear time', () => {
  const size = 256 * 1024
  const texts = [
    '[',
    '{',
    '- ',
    '? ',
    '- v\n',
    '-\n',
    '!!str ',
    '&a ',
    '# c\n',
    '\n',
    ': ',
    '"',
    "'",
    '" ',
    'a ',
    '"a": ',
    'a: &b c\n',
    '  \n',
    '%Y\n',
    '| \n',
    'a: |\n',
    '> x',
  ]
  for (const part of texts) {
    const text = `${part}`.repeat(size / part.length)
    const started = process.cpuUsage()
    for (const whole of [text, `a: ${text}`, `a: "${text}`, `a: [${text}`]) {
      try {
        parseYaml(whole)
      } catch (error) {
        assert.ok(error instanceof YamlError, `${part}: ${String(error)}`)
      }
    }
    const { user, system } = process.cpuUsage(started)
    assert.ok(user + system < 2_000_000, `${JSON.stringify(part)} took ${(user + system) / 1000} ms`)
  }
})

// Each of them took many seconds when the work was quadratic.
for (const [title, text] of [
  ['a long line of quoted texts', `{${'"a": "b", '.repeat(60_000)}}`],
  ['many merged mappings', `{${'<<: {}, '.repeat(100_000)}}`],
] as const) {
  test(`reads ${title} in a moment`, () => {
    const started = process.cpuUsage().user
    parseYaml(text)
    const microseconds = process.cpuUsage().user - started
    assert.ok(microseconds < 5_000_000, `it took ${microseconds} µs`)
  })
}
