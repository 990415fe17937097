import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@orrery/kinds'
import fc from 'fast-check'
import { parse as parseElsewhere } from 'yaml'
import { parseYaml } from './parse.js'
import { formatYaml } from './write.js'

test('formatYaml: formats objects like kubectl', () => {
  const pod: JsonValue = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p', labels: {}, annotations: { number: '1', yes: 'on', text: 'one\ntwo\n' } },
    spec: { containers: [{ name: 'c', args: ['-v', 'a: b'], ports: [] }], matrix: [[1, 2], [{ x: null }]] },
  }
  assert.equal(
    formatYaml(pod),
    `apiVersion: v1
kind: Pod
metadata:
  annotations:
    number: "1"
    text: |
      one
      two
    "yes": "on"
  labels: {}
  name: p
spec:
  containers:
  - args:
    - -v
    - 'a: b'
    name: c
    ports: []
  matrix:
  - - 1
    - 2
  - - x: null
`,
  )
})

test('formatYaml: quotes like kubectl', () => {
  const written: Record<string, string> = {
    'https://a.example:6443/x?y=z#w': 'https://a.example:6443/x?y=z#w',
    'f:metadata': 'f:metadata',
    'k:{"type":"Ready"}': 'k:{"type":"Ready"}',
    'a: b': "'a: b'",
    'a:': "'a:'",
    'a #b': "'a #b'",
    "it's": "it's",
    "'quoted'": "'''quoted'''",
    '{}': "'{}'",
    '*': "'*'",
    'a ': "'a '",
    '- a': "'- a'",
    '---': "'---'",
    true: '"true"',
    '0x1f': '"0x1f"',
    '12:30:45': '"12:30:45"',
    '2026-01-31T12:00:00Z': '"2026-01-31T12:00:00Z"',
    '': '""',
    '\u0007': '"\\u0007"',
  }
  for (const [text, yaml] of Object.entries(written)) assert.equal(formatYaml(text), `${yaml}\n`)
})

/** A string for Go, a number without digits for the other parser. */
const DOT = /"[-+]?\._*"/

test('formatYaml: writes values that this and other parsers read back', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' }), (value) => {
      const json = JSON.stringify(value)
      if (/__proto__|\d{16}|\\ud|<<|e[+-]?\d{3}/i.test(json)) return
      const expected: unknown = JSON.parse(json)
      const text = formatYaml(expected as JsonValue)
      assert.deepEqual(parseYaml(text).value, expected, text)
      if (!DOT.test(json)) assert.deepEqual(parseElsewhere(text, { version: '1.1' }), expected, text)
    }),
    { numRuns: 1000 },
  )
  const dots = ['.', '+.', '-.', '._', { '.': false }]
  assert.deepEqual(parseYaml(formatYaml(dots)).value, dots)
})

test('formatYaml: writes strings with many lines that are read back', () => {
  const line = fc.constantFrom('', 'a', ' b', 'c ', '# d', '- e', '---', '\t', 'é: f', '...')
  fc.assert(
    fc.property(fc.array(line, { maxLength: 6 }), fc.constantFrom('', '\n', '\n\n'), (lines, ending) => {
      const value = { list: [lines.join('\n') + ending], text: lines.join('\n') + ending }
      const text = formatYaml(value)
      assert.deepEqual(parseYaml(text).value, value, text)
      assert.deepEqual(parseElsewhere(text, { version: '1.1' }), value, text)
    }),
    { numRuns: 1000 },
  )
})

test('formatYaml: takes linear time for a string with a million empty lines', () => {
  const value = { text: `a${'\n'.repeat(1_000_000)}b`, ended: `a${'\n'.repeat(1_000_000)}` }
  const start = process.cpuUsage().user
  const text = formatYaml(value)
  assert.ok(process.cpuUsage().user - start < 20_000_000, `${process.cpuUsage().user - start} µs`)
  assert.deepEqual(parseYaml(text).value, value)
})

test('formatYaml: writes digits beyond every number as a string', () => {
  for (const digits of ['9'.repeat(350), `-${'9'.repeat(350)}`, `0x${'f'.repeat(390)}`, '1e999']) {
    assert.deepEqual(parseYaml(`a: ${digits}`).value, { a: digits })
    assert.deepEqual(parseYaml(formatYaml({ a: digits })).value, { a: digits })
  }
})
