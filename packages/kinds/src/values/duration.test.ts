import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatDuration, HOUR, humanDuration, MINUTE, parseDuration, SECOND } from './duration.js'

test('parseDuration: parses durations as Go does', () => {
  const cases: [string, bigint][] = [
    ['0', 0n],
    ['5s', 5n * SECOND],
    ['-5s', -5n * SECOND],
    ['+5s', 5n * SECOND],
    ['1.5h', HOUR + 30n * MINUTE],
    ['.5s', SECOND / 2n],
    ['5.s', 5n * SECOND],
    ['3h20m', 3n * HOUR + 20n * MINUTE],
    ['10us', 10_000n],
    ['10µs', 10_000n],
    ['9223372036854775807ns', 9223372036854775807n],
    ['-9223372036854775808ns', -9223372036854775808n],
  ]
  for (const [text, value] of cases) assert.equal(parseDuration(text), value, text)
})

test("parseDuration: rejects invalid durations with Go's messages", () => {
  const cases: [string, string][] = [
    ['', 'time: invalid duration ""'],
    ['3', 'time: missing unit in duration "3"'],
    ['3x', 'time: unknown unit "x" in duration "3x"'],
    ['.s', 'time: invalid duration ".s"'],
    ['-', 'time: invalid duration "-"'],
    ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
    ['99999999999999999999999h', 'time: invalid duration "99999999999999999999999h"'],
  ]
  for (const [text, message] of cases) assert.throws(() => parseDuration(text), { message }, text)
})

test('formatDuration: formats durations as Go does', () => {
  const cases: [bigint, string][] = [
    [0n, '0s'],
    [1n, '1ns'],
    [1_100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [4n * MINUTE + 5n * SECOND, '4m5s'],
    [5n * HOUR + 6n * MINUTE + 7_001_000_000n, '5h6m7.001s'],
    [HOUR, '1h0m0s'],
    [-HOUR, '-1h0m0s'],
    [-(1n << 63n), '-2562047h47m16.854775808s'],
  ]
  for (const [value, text] of cases) assert.equal(formatDuration(value), text)
})

test('formatDuration: round-trips through parseDuration', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }), (value) => {
      assert.equal(parseDuration(formatDuration(value)), value)
    }),
  )
})

test('humanDuration: formats ages as kubectl does', () => {
  const minute = 60
  const hour = 3600
  const day = 24 * hour
  const cases: [number, string][] = [
    [-5, '<invalid>'],
    [-1, '0s'],
    [1, '1s'],
    [119, '119s'],
    [2 * minute, '2m'],
    [5 * minute + 10, '5m10s'],
    [10 * minute + 1, '10m'],
    [179 * minute, '179m'],
    [3 * hour + 5 * minute, '3h5m'],
    [8 * hour + 5 * minute, '8h'],
    [3 * day + 4 * hour, '3d4h'],
    [8 * day + 5 * hour, '8d'],
    [729 * day, '729d'],
    [730 * day, '2y'],
    [3 * 365 * day + 2 * day, '3y2d'],
    [9 * 365 * day + 40 * day, '9y'],
  ]
  for (const [seconds, text] of cases) assert.equal(humanDuration(seconds * 1000), text)
})
