import { quoteAscii } from './gotext.js'
import { ParseError } from './parse-error.js'

/** Nanoseconds, as in Go's `time.Duration`: a signed 64-bit integer. */
export type Duration = bigint

export const NANOSECOND = 1n
export const MICROSECOND = 1_000n
export const MILLISECOND = 1_000_000n
export const SECOND = 1_000_000_000n
export const MINUTE = 60n * SECOND
export const HOUR = 60n * MINUTE

const LIMIT = 1n << 63n

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', NANOSECOND],
  ['us', MICROSECOND],
  ['\u00b5s', MICROSECOND],
  ['\u03bcs', MICROSECOND],
  ['ms', MILLISECOND],
  ['s', SECOND],
  ['m', MINUTE],
  ['h', HOUR],
])

const term = /([0-9]*)(?:(\.)([0-9]*))?([^0-9.]*)/y

/** Parses `300ms`, `-1.5h`, `2h45m`. Throws `ParseError` with Go's message. */
export function parseDuration(text: string): Duration {
  const negative = text.startsWith('-')
  let at = negative || text.startsWith('+') ? 1 : 0
  if (text.slice(at) === '0') return 0n
  if (at === text.length) throw invalid(text)
  let total = 0n
  while (at < text.length) {
    term.lastIndex = at
    const [all = '', whole = '', point, fraction = '', unitName = ''] = term.exec(text) ?? []
    if (whole === '' && fraction === '') throw invalid(text)
    if (unitName === '') throw new ParseError(`time: missing unit in duration ${quoteAscii(text)}`)
    const unit = units.get(unitName)
    if (unit === undefined) {
      throw new ParseError(`time: unknown unit ${quoteAscii(unitName)} in duration ${quoteAscii(text)}`)
    }
    // More digits than this overflow in any unit; the check also keeps malicious input cheap.
    if (whole.length > 0 && whole.replace(/^0+/, '').length > 19) throw invalid(text)
    total += BigInt(whole === '' ? 0 : whole) * unit
    if (point !== undefined) total += fractionOf(fraction, unit)
    if (total > LIMIT) throw invalid(text)
    at += all.length
  }
  if (negative) return -total
  if (total === LIMIT) throw invalid(text)
  return total
}

/** Formats a duration as Go does: `1h0m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(duration: Duration): string {
  if (duration === 0n) return '0s'
  const sign = duration < 0n ? '-' : ''
  const size = duration < 0n ? -duration : duration
  if (size < MICROSECOND) return `${sign}${size}ns`
  if (size < MILLISECOND) return `${sign}${decimal(size, MICROSECOND)}\u00b5s`
  if (size < SECOND) return `${sign}${decimal(size, MILLISECOND)}ms`
  const seconds = `${decimal(size % MINUTE, SECOND)}s`
  const minutes = size / MINUTE
  if (minutes === 0n) return `${sign}${seconds}`
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`
}

export function durationToMilliseconds(duration: Duration): number {
  return Number(duration) / 1e6
}

/** Formats an age as `kubectl` does: `5m10s`, `3d4h`. */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.trunc(seconds / 60)
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.trunc(minutes / 60)
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.trunc(hours / 24)
  if (hours < 24 * 8) return pair(days, 'd', hours % 24, 'h')
  if (hours < 24 * 365 * 2) return `${days}d`
  const years = Math.trunc(days / 365)
  if (hours < 24 * 365 * 8) return pair(years, 'y', days % 365, 'd')
  return `${years}y`
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`
}

/** Digits beyond the nanosecond do not count, and no unit needs more than 19 of them. */
function fractionOf(digits: string, unit: bigint): bigint {
  const kept = digits.slice(0, 19)
  return kept === '' ? 0n : (BigInt(kept) * unit) / 10n ** BigInt(kept.length)
}

function decimal(size: bigint, unit: bigint): string {
  const rest = size % unit
  if (rest === 0n) return `${size / unit}`
  const width = unit.toString().length - 1
  return `${size / unit}.${rest.toString().padStart(width, '0').replace(/0+$/, '')}`
}

function invalid(text: string): ParseError {
  return new ParseError(`time: invalid duration ${quoteAscii(text)}`)
}
