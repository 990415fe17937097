import { utf8Length } from '@orrery/kinds/values'
import { isIpv6 } from '../library/ip-address.js'

type FormatCheck = (text: string) => boolean

const ATOM_TEXT = /^[^\s()<>[\]:;@\\,."]+$/
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i
const CARD_NUMBER =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/
const RGB_PART = '\\s{0,64}(?:0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])\\s{0,64}'
const RGB_COLOR = new RegExp(`^rgb\\(${RGB_PART},${RGB_PART},${RGB_PART}\\)$`)
const HEX_COLOR = /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/
const SSN = /^\d{3}[- ]?\d{2}[- ]?\d{4}$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const FULL_DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const DAY_TIME = /^(\d{2}):(\d{2}):(\d{2})(?:.\d+)?(?:z|[+-]\d{2}:\d{2})$/
const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}](?:[-a-zA-Z0-9\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u
const LONE_HOST = /^[a-zA-Z0-9\p{S}\p{L}]-?[a-zA-Z0-9\p{S}\p{L}]{0,62}$/u
const TOP_DOMAIN = /^[a-zA-Z\p{L}]{2,63}$/u
const MAC_BYTES = /^(?:[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2})+|[0-9a-fA-F]{2}(?:-[0-9a-fA-F]{2})+)$/
const MAC_WORDS = /^[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4})+$/
const SHORT_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
const LONG_NAME_PART = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/
const GO_DURATION = /^[-+]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/
const DURATION_UNITS = [
  ['ns', 'nano'],
  ['us', 'µs', 'micro'],
  ['ms', 'milli'],
  ['s', 'sec'],
  ['m', 'min'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
]

/** The supported string formats, by name without dashes. Any other format is ignored. */
const CHECKS: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ['bsonobjectid', (text) => /^[0-9a-fA-F]{24}$/.test(text)],
  ['uri', isRequestUri],
  ['email', isEmail],
  ['hostname', isHostname],
  ['ipv4', (text) => text.includes('.') && isAddress(text)],
  ['ipv6', (text) => isIpv6(text) && !text.includes('%')],
  ['cidr', isCidr],
  ['mac', isMac],
  ['uuid', (text) => UUID.test(text)],
  ['uuid3', (text) => UUID3.test(text)],
  ['uuid4', (text) => UUID4.test(text)],
  ['uuid5', (text) => UUID5.test(text)],
  ['isbn', (text) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['creditcard', isCreditCard],
  ['ssn', (text) => text.length === 11 && SSN.test(text)],
  ['hexcolor', (text) => HEX_COLOR.test(text)],
  ['rgbcolor', (text) => RGB_COLOR.test(text)],
  ['byte', (text) => text.length % 4 === 0 && BASE64.test(text)],
  ['password', () => true],
  ['date', isDate],
  ['duration', isDuration],
  ['datetime', isDateTime],
  ['k8sshortname', (text) => SHORT_NAME.test(text)],
  ['k8slongname', isLongName],
])

/**
 * The enforced format of a schema: string formats for strings and untyped values, widths for numbers. Empty if the
 * format is unknown or does not apply to the type.
 */
export function enforcedFormat(type: string, format: string): string {
  if (format === '') return ''
  switch (type) {
    case '':
    case 'string':
      return CHECKS.has(normalised(format)) ? format : ''
    case 'integer':
      return format === 'int32' || format === 'int64' ? format : ''
    case 'number':
      return format === 'float' || format === 'double' ? format : ''
    default:
      return ''
  }
}

/** The check of a string format; undefined for formats of numbers. */
export function stringFormatCheck(format: string): FormatCheck | undefined {
  return CHECKS.get(normalised(format))
}

function normalised(format: string): string {
  return format.replaceAll('-', '')
}

function isRequestUri(text: string): boolean {
  if (text === '' || hasControl(text)) return false
  if (text === '*') return true
  if (text.startsWith(':')) return false
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? ''
  const hasScheme = scheme !== ''
  const rest = text.slice(scheme.length).split('?', 1)[0] as string
  if (!rest.startsWith('/')) return hasScheme
  if (!hasScheme || !rest.startsWith('//')) return escapesAreWhole(rest)
  const slash = rest.indexOf('/', 2)
  const authority = slash < 0 ? rest.slice(2) : rest.slice(2, slash)
  return isAuthority(authority) && (slash < 0 || escapesAreWhole(rest.slice(slash)))
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']')
    return end > 0 && /^(?::\d*)?$/.test(host.slice(end + 1))
  }
  const colon = host.lastIndexOf(':')
  const port = colon < 0 ? '' : host.slice(colon)
  return /^(?::\d*)?$/.test(port) && !/[\s"<>\\^`{|}]/.test(host) && escapesAreWhole(host)
}

function escapesAreWhole(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text)
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code < 0x20 || code === 0x7f) return true
  }
  return false
}

/** RFC 5322 `local@domain` or `Some Name <local@domain>`. */
function isEmail(text: string): boolean {
  const open = text.indexOf('<')
  if (open < 0) return isAddrSpec(text.trim())
  const trimmed = text.trimEnd()
  if (!trimmed.endsWith('>')) return false
  return isAddrSpec(trimmed.slice(open + 1, -1))
}

function isAddrSpec(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1) return false
  const local = text.slice(0, at)
  const domain = text.slice(at + 1)
  const localIsFine = /^"(?:[^"\\\r\n]|\\.)*"$/.test(local) || local.split('.').every((atom) => ATOM_TEXT.test(atom))
  return localIsFine && (/^\[[^[\]]+\]$/.test(domain) || domain.split('.').every((atom) => ATOM_TEXT.test(atom)))
}

function isHostname(text: string): boolean {
  if (utf8Length(text) > 255) return false
  const labels = text.split('.')
  if (labels.some((label) => utf8Length(label) > 63)) return false
  if (labels.length === 1) return LONE_HOST.test(text)
  const top = labels.pop() as string
  return TOP_DOMAIN.test(top) && labels.every((label) => HOST_LABEL.test(label))
}

/** Leading zeros in IPv4 are accepted, zones in IPv6 are not. */
function isAddress(text: string): boolean {
  if (text.includes('%')) return false
  if (isIpv6(text)) return true
  return isSloppyIpv4(text)
}

function isSloppyIpv4(text: string): boolean {
  const parts = text.length > 64 ? [] : text.split('.')
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255)
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/')
  if (slash < 0) return false
  const address = text.slice(0, slash)
  const prefix = text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(prefix) || !isAddress(address)) return false
  return Number(prefix) <= (address.includes(':') ? 128 : 32)
}

function isMac(text: string): boolean {
  if (text.length > 64) return false
  const bytes = MAC_BYTES.test(text) ? (text.length + 1) / 3 : MAC_WORDS.test(text) ? ((text.length + 1) / 5) * 2 : 0
  return bytes === 6 || bytes === 8 || bytes === 20
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^(?:\d{9}X|\d{10})$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 10; index++) {
    sum += index === 9 && digits[9] === 'X' ? 100 : (index === 9 ? 10 : index + 1) * Number(digits[index])
  }
  return sum % 11 === 0
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  let sum = 0
  for (let index = 0; index < 12; index++) sum += (index % 2 === 0 ? 1 : 3) * Number(digits[index])
  return Number(digits[12]) === (10 - (sum % 10)) % 10
}

/** Known issuer ranges, and Luhn's check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (!CARD_NUMBER.test(digits)) return false
  let sum = 0
  for (let place = 0; place < digits.length; place++) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = digit * 2
    sum += place % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function isDate(text: string): boolean {
  const parts = FULL_DATE.exec(text)
  if (!parts) return false
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]
  if (month < 1 || month > 12 || day < 1) return false
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]!
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t', 2)
  if (date === undefined || time === undefined || !isDate(date)) return false
  const parts = DAY_TIME.exec(time)
  return parts !== null && parts[1]! <= '23' && parts[2]! <= '59' && parts[3]! <= '59'
}

/** A Go duration, or a number and the name of a unit somewhere in the text (`2 weeks`). */
function isDuration(text: string): boolean {
  if (GO_DURATION.test(text)) return true
  let known = false
  for (let at = 0; at < text.length; ) {
    const digits = span(text, at, isDigit)
    if (digits === at) {
      at++
      continue
    }
    if (Number(text.slice(at, digits)) > Number.MAX_SAFE_INTEGER) return false
    const unitStart = span(text, digits, isSpace)
    const unitEnd = span(text, unitStart, isUnitLetter)
    if (unitEnd > unitStart && isUnit(text.slice(unitStart, unitEnd).toLowerCase())) known = true
    at = Math.max(unitEnd, digits)
  }
  return known
}

function isUnit(unit: string): boolean {
  return DURATION_UNITS.some((names) => names.includes(unit) || unit.startsWith(names.at(-1) as string))
}

function span(text: string, from: number, matches: (code: number) => boolean): number {
  let end = from
  while (end < text.length && matches(text.charCodeAt(end))) end++
  return end
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}

function isUnitLetter(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === 0xb5
}

function isLongName(text: string): boolean {
  return text.length <= 253 && text.split('.').every((part) => LONG_NAME_PART.test(part))
}
