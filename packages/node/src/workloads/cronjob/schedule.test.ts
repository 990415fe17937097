import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CronJob } from '@orrery/kinds'
import { ParseError } from '@orrery/kinds/values'
import fc from 'fast-check'
import { dueTimes } from './due.js'
import { parseSchedule } from './schedule.js'
import { Zone } from './zone.js'

function times(schedule: string, from: string, count: number, zone?: string): string[] {
  const parsed = parseSchedule(schedule, zone)
  const found: string[] = []
  let at: number | undefined = Date.parse(from)
  while (found.length < count && at !== undefined) {
    at = parsed.next(at)
    if (at !== undefined) found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

test('parseSchedule: computes the times of schedules', () => {
  const from = '2030-01-01T00:00:00Z'
  assert.deepEqual(times('*/20 * * * *', from, 3), ['2030-01-01T00:20', '2030-01-01T00:40', '2030-01-01T01:00'])
  assert.deepEqual(times('30 8-10/2 * * mon-fri', from, 3), [
    '2030-01-01T08:30',
    '2030-01-01T10:30',
    '2030-01-02T08:30',
  ])
  assert.deepEqual(times('0 0 29 feb *', from, 1), ['2032-02-29T00:00'])
  assert.deepEqual(times('@weekly', from, 2), ['2030-01-06T00:00', '2030-01-13T00:00'])
  // If both are given, either the day of the month or the day of the week matches.
  assert.deepEqual(times('0 0 13 * fri', from, 3), ['2030-01-04T00:00', '2030-01-11T00:00', '2030-01-13T00:00'])
  assert.deepEqual(times('@every 90m', from, 2), ['2030-01-01T01:30', '2030-01-01T03:00'])
  assert.deepEqual(times('0 0 31 2 *', from, 1), [])
})

test('parseSchedule: follows the daylight saving time of its zone', () => {
  const summer = times('30 2 * * *', '2030-03-29T12:00:00Z', 3, 'Europe/Berlin')
  // 02:30 does not exist on 31 March, when clocks change from 02:00 to 03:00.
  assert.deepEqual(summer, ['2030-03-30T01:30', '2030-04-01T00:30', '2030-04-02T00:30'])
  const winter = times('30 2 * * *', '2030-10-26T12:00:00Z', 2, 'Europe/Berlin')
  // It exists twice on 27 October and counts once.
  assert.deepEqual(winter, ['2030-10-27T00:30', '2030-10-28T01:30'])
  assert.deepEqual(times('0 9 * * *', '2030-01-01T00:00:00Z', 1, 'Asia/Tokyo'), ['2030-01-02T00:00'])
  assert.deepEqual(times('TZ=Asia/Tokyo 0 9 * * *', '2030-01-01T00:00:00Z', 1), ['2030-01-02T00:00'])
})

test('parseSchedule: finds each minute of a day in a zone once, also when the clock changes', () => {
  for (const [from, hours] of [
    ['2030-03-10T05:00:00Z', 23],
    ['2030-11-03T04:00:00Z', 24],
    ['2030-06-01T04:00:00Z', 24],
  ] as const) {
    const found = times('* * * * *', new Date(Date.parse(from) - 60_000).toISOString(), hours * 60, 'America/New_York')
    assert.equal(new Set(found).size, hours * 60)
    assert.equal(found[0], from.slice(0, 16))
  }
})

test('parseSchedule: the time to find the next minute does not grow during the day', () => {
  const schedule = parseSchedule('* * * * *', 'America/New_York')
  const late = Date.parse('2030-06-02T03:30:30Z')
  const started = process.cpuUsage().user
  for (let i = 0; i < 5_000; i++) assert.equal(schedule.next(late), late + 30_000)
  assert.ok(process.cpuUsage().user - started < 5_000_000)
})

test('parseSchedule: refuses an invalid schedule', () => {
  for (const text of [
    '',
    '* * * *',
    '60 * * * *',
    '* * * * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    'x * * * *',
    '@often',
  ]) {
    assert.throws(() => parseSchedule(text), ParseError, text)
  }
  assert.throws(() => parseSchedule('* * * * *', 'Mars/Olympus'), ParseError)
})

test('dueTimes: finds the latest missed time however long ago the last run was', () => {
  const minutes = fc.integer({ min: 1, max: 5_000_000 })
  const schedule = fc.constantFrom('* * * * *', '*/7 * * * *', '0 * * * *', '15 3 * * *', '* * 1 * *', '0 0 1 1 *')
  const created = Date.parse('2030-01-01T00:00:00Z')
  const metadata = { creationTimestamp: '2030-01-01T00:00:00Z' }
  fc.assert(
    fc.property(schedule, minutes, (text, ago) => {
      const now = created + ago * 60_000 + 30_000
      const parsed = parseSchedule(text)
      const { missed, next } = dueTimes({ metadata, spec: { schedule: text } } as unknown as CronJob, parsed, now)
      assert.ok(next !== undefined && next > now)
      if (missed === undefined) assert.equal(parsed.next(created), next)
      else {
        assert.ok(missed > created && missed <= now)
        assert.equal(parsed.next(missed), next)
      }
    }),
    { numRuns: 60 },
  )
})

test('Zone: formats a moment as local time', () => {
  const moment = Date.parse('2030-01-31T11:00:00Z')
  assert.equal(new Zone('').format(moment), '2030-01-31T11:00:00Z')
  assert.equal(new Zone('Europe/London').format(moment), '2030-01-31T11:00:00Z')
  assert.equal(new Zone('Europe/Berlin').format(moment), '2030-01-31T12:00:00+01:00')
  assert.equal(new Zone('America/St_Johns').format(moment), '2030-01-31T07:30:00-03:30')
})
