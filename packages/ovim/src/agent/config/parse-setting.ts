import { durationToMilliseconds, parseDuration } from '@orrery/kinds/values'
import type { Setting, SettingType } from './settings.js'

type Value = string | number | boolean

/** Parses the value of a setting, from a text of the environment or a value of YAML or JSON. Throws what is expected. */
export function parseSetting({ type }: Setting, value: unknown): Value {
  return PARSERS[type](value)
}

const PARSERS: Readonly<Record<SettingType, (value: unknown) => Value>> = {
  text(value) {
    if (typeof value === 'string' || typeof value === 'number') return String(value)
    throw new Error('must be a text')
  },
  boolean(value) {
    if (typeof value === 'boolean') return value
    if (/^(true|1|yes|on)$/i.test(String(value))) return true
    if (/^(false|0|no|off)$/i.test(String(value))) return false
    throw new Error('must be true or false')
  },
  duration(value) {
    const milliseconds = millisecondsIn(value)
    if (milliseconds > 0) return milliseconds
    throw new Error('must be longer than 0, such as "30s"')
  },
  delay: millisecondsIn,
  count(value) {
    const number = numberIn(value)
    if (Number.isInteger(number) && number >= 1) return number
    throw new Error('must be a whole number of at least 1')
  },
  number(value) {
    const number = numberIn(value)
    if (number > 0) return number
    throw new Error('must be a number greater than 0')
  },
  port(value) {
    const number = numberIn(value)
    if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number
    throw new Error('must be a port, from 0 to 65535')
  },
  level(value) {
    const level = String(value).toLowerCase()
    if (level === 'warning') return 'warn'
    if (['debug', 'info', 'warn', 'error'].includes(level)) return level
    throw new Error('must be debug, info, warn or error')
  },
  format(value) {
    if (value === 'json' || value === 'text') return value
    throw new Error('must be json or text')
  },
  url(value) {
    if (typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) {
      return value.replace(/\/+$/, '')
    }
    throw new Error('must be a URL, such as "https://ovim-hub.example.com"')
  },
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
}

/** A duration of Go. A plain number is a number of seconds. */
function millisecondsIn(value: unknown): number {
  const seconds = numberIn(value)
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1_000
  try {
    const milliseconds = durationToMilliseconds(parseDuration(String(value)))
    if (milliseconds >= 0) return milliseconds
  } catch {
    // The message below says what is expected.
  }
  throw new Error('must be a duration, such as "30s"')
}
