import { formatGoFloat, utf8Text } from '@orrery/kinds/values'
import type { FormatStyle } from '../format-style.js'
import { formatTimestamp } from '../json.js'
import { typeOfValue } from '../runtimetype.js'
import { CelList } from '../values/list.js'
import { CelMap } from '../values/map.js'
import { CelDouble, CelDuration, CelTimestamp, CelTypeValue, CelUint, type CelValue, isInt } from '../values/value.js'
import { formatSeconds } from './conversion.js'
import { cannotShow, DEFAULT_PRECISION, formatLibrary } from './string-format.js'

/** Kubernetes' style: numbers in American English, and a separate type for each clause. */
const americanStyle: FormatStyle = {
  kinds: {
    d: new Set(['dyn', 'int', 'uint']),
    f: new Set(['dyn', 'double', 'string']),
    e: new Set(['dyn', 'double', 'string']),
  },
  problems: {
    d: 'decimal clause can only be used on integers',
    f: 'fixed-point clause can only be used on doubles',
    e: 'scientific clause can only be used on doubles',
    b: 'only integers and bools can be formatted as binary',
    o: 'octal clause can only be used on integers',
    x: 'only integers, byte buffers, and strings can be formatted as hex',
  },
  text: formatString,
  whole(value) {
    if (isInt(value)) return String(value)
    return value instanceof CelUint ? `${value.value}` : undefined
  },
  real({ letter, precision }, value) {
    const number = asDouble(value)
    if (number === undefined) return undefined
    return letter === 'f' ? formatFixed(number, precision) : formatScientific(number)
  },
}

/** `format` of Kubernetes' expressions. */
export const americanFormat = formatLibrary('format of strings', americanStyle)

function formatString(value: CelValue): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return utf8Text(value)
  if (value instanceof CelDouble) return formatGoFloat(value.value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return formatSeconds(value)
  return formatNested(value)
}

/** A value inside a list or map: formatted as a literal. */
function formatNested(value: CelValue): string {
  if (value === null || typeof value === 'boolean' || isInt(value)) return String(value)
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof CelUint) return `${value.value}`
  if (value instanceof CelDouble) {
    return Number.isFinite(value.value)
      ? value.value.toFixed(DEFAULT_PRECISION)
      : JSON.stringify(formatGoFloat(value.value))
  }
  if (value instanceof Uint8Array) return `b${JSON.stringify(utf8Text(value))}`
  if (value instanceof CelTimestamp) return `timestamp(${JSON.stringify(formatTimestamp(value))})`
  if (value instanceof CelDuration) return `duration(${JSON.stringify(formatSeconds(value))})`
  if (value instanceof CelTypeValue) return value.type.name
  if (value instanceof CelList) return `[${[...value].map(formatNested).join(', ')}]`
  if (value instanceof CelMap) return formatMap(value)
  throw cannotShow(americanStyle, 's', typeOfValue(value).name)
}

function formatMap(map: CelMap): string {
  const entries = [...map.keys()].map((key): [string, string] => [
    formatNested(key),
    formatNested(map.find(key) as CelValue),
  ])
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, value]) => `${key}:${value}`).join(', ')}}`
}

/** A double, or one of the strings for doubles without digits. */
function asDouble(value: CelValue): number | undefined {
  if (value instanceof CelDouble) return value.value
  if (value === 'NaN') return Number.NaN
  if (value === 'Infinity') return Number.POSITIVE_INFINITY
  return value === '-Infinity' ? Number.NEGATIVE_INFINITY : undefined
}

/** The clauses for doubles format numbers in American English, with commas and powers of ten. */
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
