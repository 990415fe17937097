import { ParseError, parseDuration } from '@orrery/kinds/values'

interface Bounds {
  readonly min: number
  readonly max: number
  readonly names: readonly string[]
}

const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
]
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']
const EVERY = '@every '

/** Returns why a string is not a cron schedule of five fields or a descriptor; undefined if it is valid. */
export function cronProblem(schedule: string): string | undefined {
  try {
    checkSchedule(schedule)
    return undefined
  } catch (error) {
    if (error instanceof ParseError) return error.message
    throw error
  }
}

function checkSchedule(schedule: string): void {
  if (schedule === '') throw new ParseError('empty spec string')
  const zone = /^(?:CRON_)?TZ=(\S*) /.exec(schedule)
  if (zone !== null && !isTimeZone(zone[1] ?? '')) {
    throw new ParseError(`provided bad location ${zone[1]}: unknown time zone ${zone[1]}`)
  }
  const text = (zone === null ? schedule : schedule.slice(zone[0].length)).trim()
  if (text.startsWith('@')) checkDescriptor(text)
  else checkFields(text)
}

function checkFields(text: string): void {
  const fields = text.split(/\s+/).filter((field) => field !== '')
  if (fields.length !== FIELDS.length) {
    throw new ParseError(`expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`)
  }
  for (const [i, bounds] of FIELDS.entries()) {
    for (const range of (fields[i] ?? '').split(',')) if (range !== '') checkRange(range, bounds)
  }
}

function checkDescriptor(text: string): void {
  if (DESCRIPTORS.includes(text)) return
  if (!text.startsWith(EVERY)) throw new ParseError(`unrecognized descriptor: ${text}`)
  try {
    parseDuration(text.slice(EVERY.length))
  } catch (error) {
    throw new ParseError(`failed to parse duration ${text}: ${(error as Error).message}`)
  }
}

/** Checks `*`, `5` or `1-5`, each with an optional `/step`. */
function checkRange(text: string, { min, max, names }: Bounds): void {
  const [range = '', step, ...moreSteps] = text.split('/')
  const [low = '', high, ...moreHyphens] = range.split('-')
  let start = min
  let end = max
  if (low !== '*' && low !== '?') {
    start = numberOrName(low, names)
    if (moreHyphens.length > 0) throw new ParseError(`too many hyphens: ${text}`)
    end = high === undefined ? (step === undefined ? start : max) : numberOrName(high, names)
  }
  if (moreSteps.length > 0) throw new ParseError(`too many slashes: ${text}`)
  const stride = step === undefined ? 1 : wholeNumber(step)
  if (start < min) throw new ParseError(`beginning of range (${start}) below minimum (${min}): ${text}`)
  if (end > max) throw new ParseError(`end of range (${end}) above maximum (${max}): ${text}`)
  if (start > end) throw new ParseError(`beginning of range (${start}) beyond end of range (${end}): ${text}`)
  if (stride === 0) throw new ParseError(`step of range should be a positive number: ${text}`)
}

function numberOrName(text: string, names: readonly string[]): number {
  const index = text === '' ? -1 : names.indexOf(text.toLowerCase())
  return index >= 0 ? index : wholeNumber(text)
}

function wholeNumber(text: string): number {
  if (!/^[-+]?\d{1,15}$/.test(text)) {
    throw new ParseError(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`,
    )
  }
  const number = Number(text)
  if (number < 0) throw new ParseError(`negative number (${number}) not allowed: ${text}`)
  return number
}

/** Returns whether a name is in the time zone database. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
