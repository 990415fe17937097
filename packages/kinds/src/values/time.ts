import { quoteAscii } from './gotext.js'
import { ParseError } from './parse-error.js'

/** A time with the precision of Go's `time.Time`. */
export interface Instant {
  /** Seconds since 1970, rounded down. */
  readonly seconds: number
  /** 0 to 999,999,999. */
  readonly nanos: number
}

const TIME_LAYOUT = '2006-01-02T15:04:05Z07:00'
const MICRO_LAYOUT = '2006-01-02T15:04:05.000000Z07:00'

const canonicalSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/
const canonicalMicros = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

/** Parses RFC 3339, with any number of decimals. Throws `ParseError` with Go's message. */
export function parseTime(text: string): Instant {
  return read(text, TIME_LAYOUT)
}

/** Parses RFC 3339 with exactly six decimals, as `metav1.MicroTime`. */
export function parseMicroTime(text: string): Instant {
  return read(text, MICRO_LAYOUT)
}

/** Caches the text of the last second: most formatted times are the current one. */
let writtenSecond = Number.NaN
let written = ''

/** Formats `metav1.Time`: UTC, whole seconds. */
export function formatTime(time: Date | Instant): string {
  const second = time instanceof Date ? Math.floor(time.getTime() / 1000) : time.seconds
  if (second !== writtenSecond) {
    written = `${new Date(second * 1000).toISOString().slice(0, -5)}Z`
    writtenSecond = second
  }
  return written
}

/** Formats `metav1.MicroTime`: UTC, six decimals. */
export function formatMicroTime(time: Date | Instant): string {
  if (time instanceof Date) return `${time.toISOString().slice(0, -1)}000Z`
  const micros = Math.trunc(time.nanos / 1000)
  return `${formatTime(time).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`
}

/** The form in which a `metav1.Time` is stored and sent. Throws `ParseError`. */
export function canonicalTime(text: string): string {
  const time = parseTime(text)
  return canonicalSeconds.test(text) ? text : formatTime(time)
}

/** The form in which a `metav1.MicroTime` is stored and sent. Throws `ParseError`. */
export function canonicalMicroTime(text: string): string {
  const time = parseMicroTime(text)
  return canonicalMicros.test(text) ? text : formatMicroTime(time)
}

/** Parses the text along the layout, so that the message can name the position of the difference. */
function read(text: string, layout: string): Instant {
  let at = 0
  const fail = (element: string): never => {
    const where = `cannot parse ${quoteAscii(text.slice(at))} as ${quoteAscii(element)}`
    throw new ParseError(`parsing time ${quoteAscii(text)} as ${quoteAscii(layout)}: ${where}`)
  }
  const digits = (least: number, most: number, element: string): number => {
    let end = at
    while (end < at + most && isDigit(text, end)) end++
    if (end - at < least) fail(element)
    const value = Number(text.slice(at, end))
    at = end
    return value
  }
  const literal = (expected: string): void => {
    if (text[at] !== expected) fail(expected)
    at++
  }
  const within = (value: number, least: number, most: number, what: string): number => {
    if (value < least || value > most) throw new ParseError(`parsing time ${quoteAscii(text)}: ${what} out of range`)
    return value
  }

  const year = digits(4, 4, '2006')
  literal('-')
  const month = within(digits(2, 2, '01'), 1, 12, 'month')
  literal('-')
  const day = digits(2, 2, '02')
  literal('T')
  const hour = within(digits(1, 2, '15'), 0, 23, 'hour')
  literal(':')
  const minute = within(digits(2, 2, '04'), 0, 59, 'minute')
  literal(':')
  const second = within(digits(2, 2, '05'), 0, 59, 'second')
  const fraction = readFraction(text, at)
  if (layout === MICRO_LAYOUT && fraction.length < 7) fail('.000000')
  at += layout === MICRO_LAYOUT ? 7 : fraction.length

  const zone = readZone(text, at)
  if (zone === undefined) return fail('Z07:00')
  within(zone.hours, 0, 24, 'time zone offset hour')
  within(zone.minutes, 0, 60, 'time zone offset minute')
  at += zone.length
  if (at < text.length) {
    throw new ParseError(`parsing time ${quoteAscii(text)}: extra text: ${quoteAscii(text.slice(at))}`)
  }
  within(day, 1, daysIn(year, month), 'day')

  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  const nanos = Number(fraction.slice(1, 10).padEnd(9, '0'))
  const offset = zone.sign * (zone.hours * 3600 + zone.minutes * 60)
  return { seconds: date.getTime() / 1000 - offset, nanos }
}

/** The decimals with their point, or nothing. */
function readFraction(text: string, at: number): string {
  if ((text[at] !== '.' && text[at] !== ',') || !isDigit(text, at + 1)) return ''
  let end = at + 1
  while (isDigit(text, end)) end++
  return text.slice(at, end)
}

function readZone(text: string, at: number) {
  if (text[at] === 'Z') return { sign: 1, hours: 0, minutes: 0, length: 1 }
  const match = /^([+-])(\d\d):(\d\d)$/.exec(text.slice(at, at + 6))
  if (match === null) return undefined
  return { sign: match[1] === '-' ? -1 : 1, hours: Number(match[2]), minutes: Number(match[3]), length: 6 }
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}
