import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addQuantity,
  canonicalQuantity,
  compareQuantity,
  formatQuantity,
  isQuantity,
  parseQuantity,
  type Quantity,
  quantityAtScale,
  quantityIsInteger,
  quantityOf,
  quantityToNumber,
  subtractQuantity,
} from './quantity.js'

test('canonicalQuantity: returns the form that Kubernetes stores', () => {
  const cases: [string, string][] = [
    ['0', '0'],
    ['0m', '0'],
    ['0.0', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['0.5Ki', '512'],
    ['2048Mi', '2Gi'],
    ['128Mi', '128Mi'],
    ['1025Mi', '1025Mi'],
    ['1e3', '1e3'],
    ['10e2', '1e3'],
    ['12E6', '12E6'],
    ['1E', '1E'],
    ['1000E', '1000E'],
    ['1Ei', '1Ei'],
    ['8Ei', '9223372036854775807'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['1.1n', '2n'],
    ['-0.1n', '-1n'],
    ['1e-20', '1e-9'],
    ['-1.5', '-1500m'],
    ['100000000000000000000', '100E'],
    ['1000000000000000000000000', '1000000E'],
    ['.5', '500m'],
    ['1.', '1.'],
    // Small numbers that look canonical keep their text.
    ['+5', '+5'],
    ['1.500', '1.500'],
    ['005', '005'],
  ]
  for (const [text, canonical] of cases) assert.equal(canonicalQuantity(text), canonical, text)
})

test('parseQuantity: rejects invalid quantities', () => {
  for (const text of ['', 'a', '1.1.M', '1+1.0M', '1 Gi', ' 1', '1G i', '1'.repeat(2000)]) {
    assert.throws(() => parseQuantity(text), /^ParseError: quantities must match the regular expression '\^/, text)
    assert.equal(isQuantity(text), false)
  }
  for (const text of ['1i', '.5i', '0.1mi', '1mM', '-3.01e-', '1e', '1e99999']) {
    assert.throws(() => parseQuantity(text), { message: "unable to parse quantity's suffix" }, text)
  }
})

test('parseQuantity: a suffix alone is zero where Kubernetes accepts it', () => {
  assert.equal(canonicalQuantity('.'), '0')
  assert.equal(canonicalQuantity('Mi'), '0')
  for (const text of ['Ei', 'e-12']) {
    assert.throws(() => parseQuantity(text), { message: 'unable to parse numeric part of quantity' })
  }
})

test('addQuantity: the sum has the format of the first that is not zero', () => {
  assert.equal(formatQuantity(addQuantity(parseQuantity('1Gi'), parseQuantity('1k'))), '1073742824')
  assert.equal(formatQuantity(addQuantity(parseQuantity('0'), parseQuantity('1Gi'))), '1Gi')
  assert.equal(formatQuantity(addQuantity(parseQuantity('500m'), parseQuantity('1500m'))), '2')
  assert.equal(formatQuantity(subtractQuantity(parseQuantity('1'), parseQuantity('1n'))), '999999999n')
})

test('quantityAtScale: rounds away from zero', () => {
  assert.equal(quantityAtScale(parseQuantity('1001m'), 0), 2n)
  assert.equal(quantityAtScale(parseQuantity('-1001m'), 0), -2n)
  assert.equal(quantityAtScale(parseQuantity('2'), -3), 2000n)
  assert.equal(quantityIsInteger(parseQuantity('1500m')), false)
  assert.equal(quantityIsInteger(parseQuantity('2000m')), true)
  assert.equal(quantityToNumber(parseQuantity('1500m')), 1.5)
  assert.equal(formatQuantity(quantityOf(2048n, 'BinarySI')), '2Ki')
})

const quantities: fc.Arbitrary<Quantity> = fc.record({
  unscaled: fc.bigInt({ min: -(1n << 70n), max: 1n << 70n }),
  scale: fc.integer({ min: -9, max: 20 }),
  format: fc.constantFrom('DecimalSI', 'BinarySI', 'DecimalExponent'),
})

test('canonicalQuantity: is the same amount, and idempotent', () => {
  fc.assert(
    fc.property(quantities, (quantity) => {
      const text = formatQuantity(quantity)
      const again = parseQuantity(text)
      // Binary quantities are limited to 64 bits when parsed.
      const size = quantity.unscaled < 0n ? -quantity.unscaled : quantity.unscaled
      fc.pre(again.format !== 'BinarySI' || size * 10n ** BigInt(Math.max(0, quantity.scale)) < 1n << 63n)
      assert.equal(compareQuantity(quantity, again), 0, text)
      assert.equal(canonicalQuantity(text), formatQuantity(again))
    }),
  )
})

test('addQuantity: is a group and agrees with compareQuantity', () => {
  fc.assert(
    fc.property(quantities, quantities, quantities, (a, b, c) => {
      assert.equal(compareQuantity(addQuantity(a, b), addQuantity(b, a)), 0)
      assert.equal(compareQuantity(addQuantity(addQuantity(a, b), c), addQuantity(a, addQuantity(b, c))), 0)
      assert.equal(compareQuantity(subtractQuantity(addQuantity(a, b), b), a), 0)
      assert.equal(compareQuantity(addQuantity(a, c), addQuantity(b, c)), compareQuantity(a, b))
      assert.equal(compareQuantity(a, b), 0 - compareQuantity(b, a))
    }),
  )
})
