import { ParseError } from './parse-error.js'

/** The format of a quantity: `12e6`, `12Mi`, `12M`. */
export type QuantityFormat = 'DecimalExponent' | 'BinarySI' | 'DecimalSI'

/** An exact decimal, `unscaled * 10^scale`. Parsed quantities have at most nine decimals. */
export interface Quantity {
  readonly unscaled: bigint
  readonly scale: number
  readonly format: QuantityFormat
  /** The original text, where Kubernetes keeps it instead of the canonical form. */
  readonly text?: string
}

const PATTERN = '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'
const split = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/
const exponentSuffix = /^[eE]([-+]?[0-9]{1,19})$/

/** One to three digits with a suffix are canonical (except `Ei`, which can exceed the limit). */
const plainlyCanonical = /^[1-9][0-9]{0,2}(?:[numkMGTPE]|[KMGTP]i)?$/

const NANO = -9
/** This many decimal digits always fit into 64 bits: Kubernetes keeps the text of numbers up to here. */
const INT64_DIGITS = 18
const MAX_BINARY = (1n << 63n) - 1n
/** Far beyond any real amount; longer or larger input would only use time and memory. */
const MAX_LENGTH = 1_000
const MAX_EXPONENT = 1_000

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E']
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

interface Suffix {
  readonly base: 2 | 10
  readonly exponent: number
  readonly format: QuantityFormat
}

const suffixes: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ...decimalSuffixes.map((name, i): [string, Suffix] => [name, { base: 10, exponent: i * 3 - 9, format: 'DecimalSI' }]),
  ...binarySuffixes
    .slice(1)
    .map((name, i): [string, Suffix] => [name, { base: 2, exponent: (i + 1) * 10, format: 'BinarySI' }]),
])

/** Parses `500m`, `1.5Gi`, `12e6`. Throws `ParseError` with the message of `resource.ParseQuantity`. */
export function parseQuantity(text: string): Quantity {
  const match = text === '' || text.length > MAX_LENGTH ? null : split.exec(text)
  if (match === null) throw new ParseError(`quantities must match the regular expression '${PATTERN}'`)
  const negative = match[1] === '-'
  const whole = (match[2] ?? '').replace(/^0+/, '') || '0'
  const decimals = match[3] ?? ''
  const suffix = readSuffix(match[4] ?? '')
  if (!match[2] && decimals === '' && !isSmall(whole, decimals, suffix)) {
    throw new ParseError('unable to parse numeric part of quantity')
  }
  const digits = BigInt(whole + decimals)
  const kept = keepsText(whole, decimals, suffix) ? { text } : undefined
  return suffix.base === 2
    ? binaryQuantity(negative, digits, decimals.length, suffix.exponent, kept)
    : decimalQuantity(negative, digits, suffix.exponent - decimals.length, suffix.format, kept)
}

export function isQuantity(text: string): boolean {
  if (plainlyCanonical.test(text)) return true
  try {
    parseQuantity(text)
    return true
  } catch {
    return false
  }
}

/** The form in which a quantity is stored and sent. Throws `ParseError`. */
export function canonicalQuantity(text: string): string {
  return plainlyCanonical.test(text) || text === '0' ? text : formatQuantity(parseQuantity(text))
}

export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text
  if (quantity.unscaled === 0n) return '0'
  if (quantity.format === 'BinarySI' && compareQuantity(magnitude(quantity), KIBI) >= 0) {
    const { unscaled, scale } = stripZeros(quantity.unscaled, quantity.scale)
    // An amount that binary suffixes cannot express exactly is formatted in decimal.
    if (scale >= 0) return formatBinary(unscaled * 10n ** BigInt(scale))
  }
  return formatDecimal(quantity)
}

/** Negative, zero or positive, as for `Array.sort`. */
export function compareQuantity(a: Quantity, b: Quantity): number {
  if (a.scale === b.scale) return compare(a.unscaled, b.unscaled)
  const scale = Math.min(a.scale, b.scale)
  return compare(atScale(a, scale), atScale(b, scale))
}

/** The sum, in the format of the first, or of the second if the first is zero. */
export function addQuantity(a: Quantity, b: Quantity): Quantity {
  const scale = Math.min(a.scale, b.scale)
  const format = a.unscaled === 0n ? b.format : a.format
  return { unscaled: atScale(a, scale) + atScale(b, scale), scale, format }
}

export function subtractQuantity(a: Quantity, b: Quantity): Quantity {
  return addQuantity(a, negateQuantity(b))
}

export function negateQuantity(quantity: Quantity): Quantity {
  return { unscaled: -quantity.unscaled, scale: quantity.scale, format: quantity.format }
}

export function quantityOf(value: bigint | number, format: QuantityFormat = 'DecimalSI'): Quantity {
  return { unscaled: BigInt(value), scale: 0, format }
}

/** The number of `10^scale`, rounded away from zero: scale 0 for whole units, -3 for thousandths. */
export function quantityAtScale(quantity: Quantity, scale: number): bigint {
  if (quantity.scale >= scale) return atScale(quantity, scale)
  return divideAwayFromZero(quantity.unscaled, 10n ** BigInt(scale - quantity.scale))
}

export function quantityIsInteger(quantity: Quantity): boolean {
  return stripZeros(quantity.unscaled, quantity.scale).scale >= 0
}

/** The nearest double. */
export function quantityToNumber(quantity: Quantity): number {
  return Number(`${quantity.unscaled}e${quantity.scale}`)
}

const KIBI: Quantity = { unscaled: 1024n, scale: 0, format: 'BinarySI' }

function readSuffix(text: string): Suffix {
  const known = suffixes.get(text)
  if (known !== undefined) return known
  const exponent = Number(exponentSuffix.exec(text)?.[1])
  if (Number.isNaN(exponent) || exponent > MAX_EXPONENT) {
    throw new ParseError("unable to parse quantity's suffix")
  }
  return { base: 10, exponent: Math.max(exponent, -MAX_EXPONENT), format: 'DecimalExponent' }
}

/** Kubernetes keeps the text of small numbers that look canonical, even if they are not (`1.500`, `+5`). */
function keepsText(whole: string, decimals: string, suffix: Suffix): boolean {
  if (!isSmall(whole, decimals, suffix)) return false
  if (suffix.base === 2) return (Number(whole) & 7) !== 0
  const digits = whole + decimals
  return (suffix.exponent - decimals.length) % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
}

/** Whether Kubernetes parses the number without arbitrary precision: then it also accepts no digits as zero. */
function isSmall(whole: string, decimals: string, { base, exponent }: Suffix): boolean {
  if (base === 2) return decimals === '' && 14 - whole.length - Math.trunc((exponent * 3) / 10) >= 0
  return whole.length + decimals.length <= INT64_DIGITS && exponent - decimals.length >= NANO
}

function decimalQuantity(
  negative: boolean,
  digits: bigint,
  scale: number,
  format: QuantityFormat,
  kept: { text: string } | undefined,
): Quantity {
  const size = scale < NANO ? divideAwayFromZero(digits, 10n ** BigInt(NANO - scale)) : digits
  return { unscaled: negative ? -size : size, scale: Math.max(scale, NANO), format, ...kept }
}

function binaryQuantity(
  negative: boolean,
  digits: bigint,
  decimals: number,
  exponent: number,
  kept: { text: string } | undefined,
): Quantity {
  let size = digits << BigInt(exponent)
  let scale = -decimals
  if (scale < NANO) {
    size = divideAwayFromZero(size, 10n ** BigInt(NANO - scale))
    scale = NANO
  }
  const one = 10n ** BigInt(-scale)
  if (size > MAX_BINARY * one) size = MAX_BINARY * one
  const format = size > 0n && size < one ? 'DecimalSI' : 'BinarySI'
  return { unscaled: negative ? -size : size, scale, format, ...kept }
}

function formatBinary(value: bigint): string {
  let rest = value
  let power = 0
  while (power < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n
    power++
  }
  return `${rest}${binarySuffixes[power]}`
}

function formatDecimal(quantity: Quantity): string {
  let { unscaled, scale } = stripZeros(quantity.unscaled, quantity.scale)
  const exponential = quantity.format === 'DecimalExponent'
  const excess = exponential ? mod3(scale) : Math.max(mod3(scale), scale - 18)
  unscaled *= 10n ** BigInt(excess)
  scale -= excess
  if (!exponential) return `${unscaled}${decimalSuffixes[scale / 3 + 3]}`
  return scale === 0 ? `${unscaled}` : `${unscaled}e${scale}`
}

function mod3(scale: number): number {
  return ((scale % 3) + 3) % 3
}

function stripZeros(unscaled: bigint, scale: number): { unscaled: bigint; scale: number } {
  if (unscaled === 0n) return { unscaled, scale: 0 }
  let digits = unscaled
  let power = scale
  while (digits % 10n === 0n) {
    digits /= 10n
    power++
  }
  return { unscaled: digits, scale: power }
}

function magnitude(quantity: Quantity): Quantity {
  return quantity.unscaled < 0n ? negateQuantity(quantity) : quantity
}

function atScale(quantity: Quantity, scale: number): bigint {
  return quantity.scale === scale ? quantity.unscaled : quantity.unscaled * 10n ** BigInt(quantity.scale - scale)
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  if (value % divisor === 0n) return quotient
  return value < 0n ? quotient - 1n : quotient + 1n
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}
