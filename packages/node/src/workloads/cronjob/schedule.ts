import { durationToMilliseconds, ParseError, parseDuration } from '@orrery/kinds/values'
import { Zone } from './zone.js'

/** A cron schedule. */
export interface Schedule {
  /**
   * Returns the first time after a moment, in milliseconds since 1970; undefined if there is none within five years.
   */
  next(after: number): number | undefined
}

interface Range {
  readonly least: number
  readonly most: number
  readonly names: readonly string[]
}

const MINUTES: Range = { least: 0, most: 59, names: [] }
const HOURS: Range = { least: 0, most: 23, names: [] }
const DAYS: Range = { least: 1, most: 31, names: [] }
const MONTHS: Range = {
  least: 1,
  most: 12,
  names: ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
}
const WEEKDAYS: Range = { least: 0, most: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }

const NICKNAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

const MINUTE = 60_000
const HORIZON_YEARS = 5

/** Parses a schedule of five fields, a descriptor or `@every 1h`, in a time zone. Throws `ParseError`. */
export function parseSchedule(text: string, zoneName = 'UTC'): Schedule {
  const prefix = /^(?:CRON_)?TZ=(\S*) +/.exec(text)
  const zone = new Zone(prefix?.[1] ?? zoneName)
  const body = text.slice(prefix?.[0].length ?? 0).trim()
  if (body.startsWith('@every ')) return everySchedule(body.slice('@every '.length))
  const fields = (NICKNAMES[body] ?? body).split(/\s+/)
  if (fields.length !== 5) throw new ParseError(`expected exactly 5 fields, found ${fields.length}: ${text}`)
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  return new FieldSchedule(
    {
      minutes: [...valuesOf(minute, MINUTES)].sort(ascending),
      hours: [...valuesOf(hour, HOURS)].sort(ascending),
      days: valuesOf(day, DAYS),
      months: valuesOf(month, MONTHS),
      weekdays: valuesOf(weekday, WEEKDAYS),
      // If both day fields are restricted, either may match.
      isEitherDay: !isWild(day) && !isWild(weekday),
    },
    zone,
  )
}

function everySchedule(text: string): Schedule {
  const seconds = Math.max(1, Math.floor(durationToMilliseconds(parseDuration(text)) / 1000))
  return { next: (after) => (Math.floor(after / 1000) + seconds) * 1000 }
}

function isWild(field: string): boolean {
  return field.split(',').some((part) => /^[*?](\/1)?$/.test(part))
}

function valuesOf(field: string, { least, most, names }: Range): ReadonlySet<number> {
  const values = new Set<number>()
  const number = (text: string) => {
    const named = names.indexOf(text.toLowerCase())
    if (text !== '' && named >= 0) return named
    if (!/^\d{1,9}$/.test(text)) throw new ParseError(`failed to parse int from ${text}`)
    return Number(text)
  }
  for (const part of field.split(',').filter((text) => text !== '')) {
    const [range = '', step] = part.split('/')
    const [low = '', high] = range.split('-')
    const isAll = low === '*' || low === '?'
    const first = isAll ? least : number(low)
    const last = isAll || (high === undefined && step !== undefined) ? most : number(high ?? low)
    const stride = step === undefined ? 1 : number(step)
    if (first < least || last > most || first > last || stride === 0) {
      throw new ParseError(`a range from ${first} to ${last} is not within ${least} to ${most}: ${part}`)
    }
    for (let value = first; value <= last; value += stride) values.add(value)
  }
  return values
}

interface Fields {
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  readonly weekdays: ReadonlySet<number>
  readonly isEitherDay: boolean
}

/**
 * Iterates over calendar days, which do not depend on the zone, and converts each matching hour and minute to a moment
 * of the zone. Times that daylight saving skips do not happen; times that it repeats happen once, the first time.
 */
class FieldSchedule implements Schedule {
  readonly #fields: Fields
  readonly #zone: Zone

  constructor(fields: Fields, zone: Zone) {
    this.#fields = fields
    this.#zone = zone
  }

  next(after: number): number | undefined {
    const start = this.#zone.localTime(after)
    const day = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), start.getUTCDate()))
    const end = start.getUTCFullYear() + HORIZON_YEARS
    for (; day.getUTCFullYear() <= end; day.setUTCDate(day.getUTCDate() + 1)) {
      if (!this.#fields.months.has(day.getUTCMonth() + 1)) {
        // The last day of the month; the loop continues with the next.
        day.setUTCMonth(day.getUTCMonth() + 1, 0)
        continue
      }
      if (!this.#isOn(day)) continue
      const found = this.#firstOn(day, after, start.getTime())
      if (found !== undefined) return found
    }
    return undefined
  }

  #isOn(day: Date): boolean {
    const { days, weekdays, isEitherDay } = this.#fields
    const byDate = days.has(day.getUTCDate())
    const byWeekday = weekdays.has(day.getUTCDay())
    return isEitherDay ? byDate || byWeekday : byDate && byWeekday
  }

  /** `localAfter` is the local time of `after`. No moment after it has an earlier local time of which it is the first. */
  #firstOn(day: Date, after: number, localAfter: number): number | undefined {
    const { hours, minutes } = this.#fields
    for (const hour of hours) {
      for (const minute of minutes) {
        const local = day.getTime() + (hour * 60 + minute) * MINUTE
        // Converting every minute of the day that is over would take milliseconds, many times for each CronJob.
        if (local <= localAfter) continue
        const moment = this.#zone.momentOf(local)
        if (moment !== undefined && moment > after) return moment
      }
    }
    return undefined
  }
}

function ascending(a: number, b: number): number {
  return a - b
}
