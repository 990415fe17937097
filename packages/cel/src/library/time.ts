import { ParseError, parseDuration, parseTime, TimeZone } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { type Overload, overload } from '../overload.js'
import { durationType, timestampType } from '../type.js'
import { CelDuration, CelEvalError, CelTimestamp, type CelValue, intOf } from '../values/value.js'

const SECOND = 1_000_000_000n
const MIN_SECONDS = -62_135_596_800n
const MAX_SECONDS = 253_402_300_799n

/** A duration in the range of 64-bit nanoseconds. */
export function durationOf(nanos: bigint): CelDuration {
  if (BigInt.asIntN(64, nanos) !== nanos) throw new CelEvalError('duration overflow')
  return new CelDuration(nanos)
}

/** A timestamp from nanoseconds since 1970, from year 1 to 9999. */
export function timestampOf(nanos: bigint): CelTimestamp {
  let seconds = nanos / SECOND
  let rest = nanos % SECOND
  if (rest < 0n) {
    seconds -= 1n
    rest += SECOND
  }
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS) throw new CelEvalError('timestamp overflow')
  return new CelTimestamp(Number(seconds), Number(rest))
}

export function parseTimestamp(text: string): CelTimestamp {
  const { seconds, nanos } = reading(text, 'google.protobuf.Timestamp', parseTime)
  return timestampOf(BigInt(seconds) * SECOND + BigInt(nanos))
}

export function parseCelDuration(text: string): CelDuration {
  return durationOf(reading(text, 'google.protobuf.Duration', parseDuration))
}

function reading<T>(text: string, type: string, parse: (text: string) => T): T {
  try {
    return parse(text)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    throw new CelEvalError(`type conversion error from 'string' to '${type}'`)
  }
}

/** The parts of a time in a time zone. */
interface Clock {
  readonly year: number
  /** 0 to 11. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
  readonly weekday: number
  readonly yearDay: number
  readonly hours: number
  readonly minutes: number
  readonly seconds: number
}

const DAY_MS = 86_400_000

function clockAt(milliseconds: number): Clock {
  const date = new Date(milliseconds)
  const year = date.getUTCFullYear()
  const newYear = new Date(0)
  newYear.setUTCFullYear(year, 0, 1)
  return {
    year,
    month: date.getUTCMonth(),
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
    yearDay: Math.floor((milliseconds - newYear.getTime()) / DAY_MS),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  }
}

/** Zones are names (`Europe/Paris`) or offsets (`-08:00`). */
function offsetSeconds(zone: string, at: CelTimestamp): number {
  const fixed = /^([+-]?)(\d{1,2}):(\d{2})$/.exec(zone)
  if (fixed !== null) {
    return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 3600 + Number(fixed[3]) * 60)
  }
  if (zone === '' || zone === 'UTC') return 0
  // Only names of zones: the platform also accepts offsets and abbreviations that Go does not know.
  if (!/^[A-Za-z]+(?:[/_+-][A-Za-z0-9_+-]+)*$/.test(zone)) throw new CelEvalError(`unknown time zone ${zone}`)
  return timeZone(zone).offset(at.seconds * 1000) / 1000
}

function timeZone(name: string): TimeZone {
  try {
    return new TimeZone(name)
  } catch (error) {
    if (error instanceof RangeError) throw new CelEvalError(`unknown time zone ${name}`)
    throw error
  }
}

function accessor(name: string, id: string, read: (clock: Clock, at: CelTimestamp) => number): Overload[] {
  return [
    overload(`timestamp_to_${id}`, `timestamp.${name}() -> int`, (at: CelTimestamp) =>
      read(clockAt(at.seconds * 1000), at),
    ),
    overload(`timestamp_to_${id}_with_tz`, `timestamp.${name}(string) -> int`, (at: CelTimestamp, zone: string) =>
      read(clockAt((at.seconds + offsetSeconds(zone, at)) * 1000), at),
    ),
  ]
}

function durationAccessor(name: string, id: string, nanos: bigint): Overload {
  return overload(id, `duration.${name}() -> int`, ({ nanos: size }: CelDuration): CelValue => intOf(size / nanos))
}

/** The parts of timestamps and durations. */
export const time: CelLibrary = {
  name: 'time',
  types: [timestampType, durationType],
  overloads: [
    ...accessor('getFullYear', 'year', ({ year }) => year),
    ...accessor('getMonth', 'month', ({ month }) => month),
    ...accessor('getDayOfYear', 'day_of_year', ({ yearDay }) => yearDay),
    ...accessor('getDayOfMonth', 'day_of_month', ({ day }) => day - 1),
    ...accessor('getDate', 'day_of_month_1_based', ({ day }) => day),
    ...accessor('getDayOfWeek', 'day_of_week', ({ weekday }) => weekday),
    ...accessor('getHours', 'hours', ({ hours }) => hours),
    durationAccessor('getHours', 'duration_to_hours', 3600n * SECOND),
    ...accessor('getMinutes', 'minutes', ({ minutes }) => minutes),
    durationAccessor('getMinutes', 'duration_to_minutes', 60n * SECOND),
    ...accessor('getSeconds', 'seconds', ({ seconds }) => seconds),
    durationAccessor('getSeconds', 'duration_to_seconds', SECOND),
    ...accessor('getMilliseconds', 'milliseconds', (_clock, { nanos }) => Math.trunc(nanos / 1e6)),
    durationAccessor('getMilliseconds', 'duration_to_milliseconds', 1_000_000n),
  ],
}
