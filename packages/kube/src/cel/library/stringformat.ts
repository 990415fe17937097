import { Buffer } from 'node:buffer'
import { formatGoFloat } from '../../gotext.js'
import { formatTimestamp } from '../json.js'
import { CelList } from '../list.js'
import { CelMap } from '../map.js'
import { typeOfValue } from '../runtimetype.js'
import {
  CelDouble,
  CelDuration,
  CelEvalError,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isInt,
} from '../value.js'
import { formatSeconds } from './conversion.js'
import { checkTextSize } from './text.js'

/** A clause of a format string: `%s`, `%.2f`. */
export interface Clause {
  readonly letter: string
  readonly precision: number
}

type FormatPart = string | Clause

const DEFAULT_PRECISION = 6
const MAX_PRECISION = 100

/** Takes a format string apart. Throws for clauses that do not exist. */
export function parseFormat(format: string): FormatPart[] {
  const parts: FormatPart[] = []
  let at = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent !== at) {
      const end = percent < 0 ? format.length : percent
      parts.push(format.slice(at, end))
      at = end
    } else if (format[at + 1] === '%') {
      parts.push('%')
      at += 2
    } else {
      const clause = parseClause(format, at)
      parts.push(clause)
      at = clause.end
    }
  }
  return parts
}

function parseClause(format: string, percent: number): Clause & { end: number } {
  if (percent + 1 >= format.length) throw new CelEvalError('unexpected end of string')
  let at = percent + 1
  let precision = DEFAULT_PRECISION
  if (format[at] === '.') {
    const digits = /^\.(\d*)/.exec(format.slice(at))?.[1] ?? ''
    at += digits.length + 1
    if (at >= format.length)
      throw clauseError('error while parsing precision: could not find end of precision specifier')
    if (digits === '' || digits.length > 3 || Number(digits) > MAX_PRECISION) {
      throw clauseError(
        `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`,
      )
    }
    precision = Number(digits)
  }
  const letter = format[at] ?? ''
  if (!'sdfebxXo'.includes(letter)) throw clauseError(`unrecognized formatting clause "${letter}"`)
  return { letter, precision, end: at + 1 }
}

function clauseError(problem: string): CelEvalError {
  return new CelEvalError(`could not parse formatting clause: ${problem}`)
}

/** `text.format([…])`. */
export function format(text: string, args: CelList): string {
  let next = 0
  let result = ''
  for (const part of parseFormat(text)) {
    if (typeof part === 'string') {
      result += part
      continue
    }
    if (next >= args.length) throw new CelEvalError(`index ${next} out of range`)
    result += formatClause(part, args.at(next))
    checkTextSize(result.length)
    next++
  }
  return result
}

function formatClause({ letter, precision }: Clause, value: CelValue): string {
  switch (letter) {
    case 's':
      return formatString(value)
    case 'd':
      if (isInt(value)) return String(value)
      if (value instanceof CelUint) return `${value.value}`
      break
    case 'f':
    case 'e': {
      const number = asDouble(value)
      if (number !== undefined) return letter === 'f' ? formatFixed(number, precision) : formatScientific(number)
      break
    }
    default: {
      const text = letter === 'x' || letter === 'X' ? formatHex(letter, value) : formatBits(letter, value)
      if (text !== undefined) return text
    }
  }
  throw new CelEvalError(`error during formatting: ${clauseProblem(letter)}, was given ${typeOfValue(value).name}`)
}

/** What is wrong when a clause gets a value it cannot show. */
export function clauseProblem(letter: string): string {
  switch (letter) {
    case 'd':
      return 'decimal clause can only be used on integers'
    case 'f':
      return 'fixed-point clause can only be used on doubles'
    case 'e':
      return 'scientific clause can only be used on doubles'
    case 'b':
      return 'only integers and bools can be formatted as binary'
    case 'o':
      return 'octal clause can only be used on integers'
    case 's':
      return 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'
    default:
      return 'only integers, byte buffers, and strings can be formatted as hex'
  }
}

function formatString(value: CelValue): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  if (value instanceof CelDouble) return formatGoFloat(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatSeconds(value)
  return formatNested(value)
}

/** A value inside a list or map: written so that it could be read back. */
function formatNested(value: CelValue): string {
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof CelUint) return `${value.value}`
  if (value instanceof CelDouble) {
    return Number.isFinite(value.value)
      ? value.value.toFixed(DEFAULT_PRECISION)
      : JSON.stringify(formatGoFloat(value.value))
  }
  if (value instanceof Uint8Array) return `b${JSON.stringify(Buffer.from(value).toString())}`
  if (value instanceof CelTimestamp) return `timestamp(${JSON.stringify(formatTimestamp(value))})`
  if (value instanceof CelDuration) return `duration(${JSON.stringify(formatSeconds(value))})`
  if (value instanceof CelTypeValue) return value.type.name
  if (value instanceof CelList) return `[${[...value].map(formatNested).join(', ')}]`
  if (value instanceof CelMap) return formatMap(value)
  throw new CelEvalError(`error during formatting: ${clauseProblem('s')}, was given ${typeOfValue(value).name}`)
}

function formatMap(map: CelMap): string {
  const entries = [...map.keys()].map((key): [string, string] => [
    formatNested(key),
    formatNested(map.find(key) as CelValue),
  ])
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** A double, or one of the texts that stand for those that have no digits. */
function asDouble(value: CelValue): number | undefined {
  if (value instanceof CelDouble) return value.value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  return value === '-Infinity' ? Number.NEGATIVE_INFINITY : undefined
}

/** The clauses for doubles write numbers as American English does, with commas and powers of ten. */
function formatFixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  return new Intl.NumberFormat('en-US', {
    minimumFractionDigits: precision,
    maximumFractionDigits: precision,
    roundingMode: 'halfEven',
  } as Intl.NumberFormatOptions).format(value)
}

const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹'

function formatScientific(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value)
  const [digits = '', exponent = ''] = value.toExponential(DEFAULT_PRECISION).split('e')
  const power = exponent.slice(1).padStart(2, '0')
  const raised = [...power].map((digit) => superscripts[Number(digit)]).join('')
  return `${digits}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`
}

function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '∞' : '-∞'
}

function formatBits(letter: string, value: CelValue): string | undefined {
  if (letter === 'b' && typeof value === 'boolean') return value ? '1' : '0'
  const number = isInt(value) ? BigInt(value) : value instanceof CelUint ? value.value : undefined
  return number?.toString(letter === 'b' ? 2 : 8)
}

function formatHex(letter: string, value: CelValue): string | undefined {
  let text: string | undefined
  if (isInt(value)) text = BigInt(value).toString(16)
  else if (value instanceof CelUint) text = value.value.toString(16)
  else if (typeof value === 'string') text = Buffer.from(value).toString('hex')
  else if (value instanceof Uint8Array) text = Buffer.from(value).toString('hex')
  return letter === 'X' ? text?.toUpperCase() : text
}
