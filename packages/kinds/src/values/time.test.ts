import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from './time.js'

test('canonicalTime: is UTC in whole seconds', () => {
  assert.equal(canonicalTime('2024-02-29T12:00:00Z'), '2024-02-29T12:00:00Z')
  assert.equal(canonicalTime('2024-02-29T12:00:00.999Z'), '2024-02-29T12:00:00Z')
  assert.equal(canonicalTime('2024-02-29T01:30:00+02:00'), '2024-02-28T23:30:00Z')
  assert.equal(canonicalTime('0001-01-01T00:00:00Z'), '0001-01-01T00:00:00Z')
})

test('canonicalMicroTime: has six decimals', () => {
  assert.equal(canonicalMicroTime('2024-02-29T12:00:00.123456Z'), '2024-02-29T12:00:00.123456Z')
  assert.equal(canonicalMicroTime('2024-02-29T13:00:00.123456+01:00'), '2024-02-29T12:00:00.123456Z')
  assert.throws(() => parseMicroTime('2024-02-29T12:00:00Z'), {
    message: 'parsing time "2024-02-29T12:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  })
  assert.equal(formatMicroTime(new Date(1)), '1970-01-01T00:00:00.001000Z')
})

test("parseTime: rejects invalid times with Go's messages", () => {
  const layout = '2006-01-02T15:04:05Z07:00'
  const cases: [string, string][] = [
    ['yesterday', `parsing time "yesterday" as "${layout}": cannot parse "yesterday" as "2006"`],
    ['2024-02-29', `parsing time "2024-02-29" as "${layout}": cannot parse "" as "T"`],
    ['2024-13-01T00:00:00Z', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
    ['2023-02-29T00:00:00Z', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
    ['2024-02-29T24:00:00Z', 'parsing time "2024-02-29T24:00:00Z": hour out of range'],
    ['2024-02-29T00:00:00', `parsing time "2024-02-29T00:00:00" as "${layout}": cannot parse "" as "Z07:00"`],
    ['2024-02-29T00:00:00+25:00', 'parsing time "2024-02-29T00:00:00+25:00": time zone offset hour out of range'],
    ['2024-02-29T00:00:00Z!', 'parsing time "2024-02-29T00:00:00Z!": extra text: "!"'],
  ]
  for (const [text, message] of cases) assert.throws(() => parseTime(text), { message }, text)
})

test('parseTime: keeps nanoseconds', () => {
  assert.deepEqual(parseTime('1970-01-01T00:00:01.123456789Z'), { seconds: 1, nanos: 123456789 })
  assert.deepEqual(parseTime('1969-12-31T23:59:59.5Z'), { seconds: -1, nanos: 500000000 })
})

test('formatTime: round-trips through parseTime', () => {
  const dates = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(dates, (date) => {
      const { seconds, nanos } = parseMicroTime(formatMicroTime(date))
      assert.equal(seconds * 1000 + nanos / 1e6, date.getTime())
      assert.equal(parseTime(formatTime(date)).seconds, Math.floor(date.getTime() / 1000))
    }),
  )
})
