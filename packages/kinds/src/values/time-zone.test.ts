import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TimeZone } from './time-zone.js'

const HOUR = 3_600_000

test('TimeZone: knows the offset at a moment', () => {
  const zone = new TimeZone('America/New_York')
  assert.equal(zone.offset(Date.parse('2030-01-15T12:00:00.250Z')), -5 * HOUR)
  assert.equal(zone.offset(Date.parse('2030-07-15T12:00:00Z')), -4 * HOUR)
  assert.equal(new TimeZone('Asia/Kolkata').offset(Date.parse('2030-01-15T12:00:00Z')), 5.5 * HOUR)
})

test('TimeZone: a local time before year 1 is as far from UTC as one after it', () => {
  const zone = new TimeZone('America/New_York')
  assert.equal(zone.offset(Date.parse('0001-01-01T00:00:00Z')), zone.offset(Date.parse('0001-06-01T00:00:00Z')))
})

test('TimeZone: rejects a name that the platform does not know', () => {
  assert.throws(() => new TimeZone('Atlantis/Capital'), RangeError)
})
