import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatGoFloat, formatGoJson, formatGoValue, quoteAscii } from './gotext.js'

test('formatGoFloat: formats doubles as Go does', () => {
  const cases: [number, string][] = [
    [0, '0'],
    [-0, '-0'],
    [1.5, '1.5'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [123456.5, '123456.5'],
    [1234567.5, '1.2345675e+06'],
    [1e100, '1e+100'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
  ]
  for (const [value, text] of cases) assert.equal(formatGoFloat(value), text)
})

test('formatGoJson: formats JSON as Go does', () => {
  assert.equal(
    formatGoJson({ b: [1, null, '<&>\u2028'], a: true }),
    '{"a":true,"b":[1,null,"\\u003c\\u0026\\u003e\\u2028"]}',
  )
})

test('formatGoValue: formats values as Go does', () => {
  assert.equal(formatGoValue({ b: [1, 'x', null], a: { c: 1.5 } }), 'map[a:map[c:1.5] b:[1 x <nil>]]')
  assert.equal(quoteAscii('a"µ\n'), '"a\\"\\xc2\\xb5\\x0a"')
})
