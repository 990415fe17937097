import { utf8Text } from '@orrery/kinds/values'
import { compareText, numeric } from '../equal.js'
import type { FormatStyle } from '../format-style.js'
import { formatTimestamp } from '../json.js'
import { typeOfValue } from '../runtimetype.js'
import { CelList } from '../values/list.js'
import { CelMap } from '../values/map.js'
import { CelDouble, CelDuration, CelTimestamp, CelTypeValue, type CelValue } from '../values/value.js'
import { cannotShow, formatLibrary } from './string-format.js'

const numbers: ReadonlySet<string> = new Set(['dyn', 'int', 'uint', 'double'])

/** cel-go's style since version 4 of its strings: the same everywhere, with any type of number. */
const plainStyle: FormatStyle = {
  kinds: { d: numbers, f: numbers, e: numbers },
  problems: {
    d: 'decimal clause can only be used on ints, uints, and doubles',
    f: 'fixed-point clause can only be used on ints, uints, and doubles',
    e: 'scientific clause can only be used on ints, uints, and doubles',
    b: 'only ints, uints, and bools can be formatted as binary',
    o: 'octal clause can only be used on ints and uints',
    x: 'only ints, uints, bytes, and strings can be formatted as hex',
  },
  text: textOf,
  whole: (value) => (numeric(value) === undefined ? undefined : textOf(value)),
  real({ letter, precision }, value) {
    const number = numeric(value)
    if (number === undefined) return undefined
    return letter === 'f' ? fixed(Number(number), precision) : scientific(Number(number), precision)
  },
}

/** `format` of the latest cel-go. */
export const plainFormat = formatLibrary('plain format of strings', plainStyle)

function textOf(value: CelValue): string {
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'string') return value
  if (value instanceof CelDouble) return decimal(value.value)
  const whole = numeric(value)
  if (whole !== undefined) return String(whole)
  if (value instanceof Uint8Array) return utf8Text(value)
  if (value instanceof CelTimestamp) return formatTimestamp(value)
  if (value instanceof CelDuration) return `${decimal(Number(value.nanos) / 1e9)}s`
  if (value instanceof CelTypeValue) return value.type.name
  if (value instanceof CelList) return `[${[...value].map(textOf).join(', ')}]`
  if (value instanceof CelMap) return `{${entriesOf(value).join(', ')}}`
  throw cannotShow(plainStyle, 's', typeOfValue(value).name)
}

function entriesOf(map: CelMap): string[] {
  const entries = [...map.keys()].map((key) => [textOf(key), textOf(map.find(key) as CelValue)] as const)
  return entries.sort(([a], [b]) => compareText(a, b)).map(([key, value]) => `${key}: ${value}`)
}

/** The fewest digits that identify the number, and no exponent. */
function decimal(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const sign = isNegative(value) ? '-' : ''
  const [digits = '', exponent] = String(Math.abs(value)).split('e')
  if (exponent === undefined) return sign + digits
  const [whole = '', fraction = ''] = digits.split('.')
  const power = Number(exponent)
  if (power > 0) return sign + whole + fraction.padEnd(power, '0')
  return `${sign}0.${'0'.repeat(-power - 1)}${whole}${fraction}`
}

function fixed(value: number, precision: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  const sign = isNegative(value) ? '-' : ''
  // Such a large number has no fraction, and JavaScript would use an exponent.
  if (size >= 1e21) return `${sign}${BigInt(size)}${precision === 0 ? '' : `.${'0'.repeat(precision)}`}`
  // A number is exactly halfway between two texts if this one bit is left.
  const isHalfway = (size * 2 ** (precision + 1)) % 2 === 1
  return sign + evened(size.toFixed(precision), isHalfway)
}

const MAX_DIGITS = 100

function scientific(value: number, precision: number): string {
  if (!Number.isFinite(value)) return String(value)
  const [digits = '', exponent = ''] = Math.abs(value).toExponential(precision).split('e')
  const [all = ''] = Math.abs(value).toExponential(MAX_DIGITS).split('e')
  const isHalfway = /^50*$/.test(all.replace('.', '').slice(precision + 1))
  const power = exponent.slice(1).padStart(2, '0')
  return `${isNegative(value) ? '-' : ''}${evened(digits, isHalfway)}e${exponent[0]}${power}`
}

/** Of two equally near texts, JavaScript takes the larger, and Go the one with an even last digit. */
function evened(digits: string, isHalfway: boolean): string {
  const last = Number(digits.at(-1))
  return isHalfway && last % 2 === 1 ? `${digits.slice(0, -1)}${last - 1}` : digits
}

function isNegative(value: number): boolean {
  return value < 0 || Object.is(value, -0)
}
