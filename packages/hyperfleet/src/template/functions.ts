import { formatGoValue, isObject, jsonEqual, TemplateError } from '@orrery/kinds/values'
import { formatDate } from './date.js'

export type TemplateFunction = (...args: unknown[]) => unknown

/** Whether a value counts as true: not false, zero, empty or nil. */
export function isTrue(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return isObject(value) && !(value instanceof Date) ? Object.keys(value).length > 0 : true
}

/** A value as Go prints it. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return '<no value>'
  if (typeof value === 'string') return value
  if (value instanceof Date) return formatDate('2006-01-02 15:04:05.999999999 -0700 MST', value)
  return formatGoValue(value)
}

function text(value: unknown): string {
  if (typeof value === 'string') return value
  throw new TemplateError(`expected a string, got ${JSON.stringify(value)}`)
}

function time(value: unknown): Date {
  if (value instanceof Date) return value
  const parsed = typeof value === 'string' ? new Date(value) : undefined
  if (parsed !== undefined && !Number.isNaN(parsed.getTime())) return parsed
  throw new TemplateError(`expected a time, got ${JSON.stringify(value)}`)
}

const number = (value: unknown): number => {
  const found = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof found === 'number' && Number.isFinite(found) ? found : 0
}
const integer = (value: unknown) =>
  typeof value === 'string' && !/^[+-]?\d+$/.test(value) ? 0 : Math.trunc(number(value))

/** The first letter of each word in upper case, the others in lower case. */
const titled = (value: string) =>
  value.toLowerCase().replace(/(?<![\p{L}\p{N}'])\p{L}/gu, (letter) => letter.toUpperCase())

function compared(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a < b ? -1 : 1
  throw new TemplateError(`cannot compare ${JSON.stringify(a)} and ${JSON.stringify(b)}`)
}

function element(value: unknown, key: unknown): unknown {
  if (Array.isArray(value) && typeof key === 'number') {
    if (key >= 0 && key < value.length) return value[key] as unknown
    throw new TemplateError(`index out of range: ${key}`)
  }
  if (isObject(value)) return Object.hasOwn(value, String(key)) ? value[String(key)] : null
  throw new TemplateError(`cannot index ${JSON.stringify(value)}`)
}

function length(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.length
  if (isObject(value)) return Object.keys(value).length
  throw new TemplateError(`cannot take the length of ${JSON.stringify(value)}`)
}

/** The verbs `%s`, `%v`, `%d`, `%q` and `%%`. */
function formatted(layout: unknown, ...args: unknown[]): string {
  let at = 0
  return text(layout).replace(/%[svdq%]/g, (verb) => {
    if (verb === '%%') return '%'
    const value = args[at++]
    return verb === '%q' ? JSON.stringify(printed(value)) : printed(value)
  })
}

/** The functions of HyperFleet's adapter framework and of Go. `and` and `or` are evaluated by the renderer. */
export function templateFunctions(now: () => Date): Readonly<Record<string, TemplateFunction>> {
  const date: TemplateFunction = (layout, value) => formatDate(text(layout), time(value))
  return {
    now,
    date,
    dateFormat: date,
    lower: (value) => text(value).toLowerCase(),
    upper: (value) => text(value).toUpperCase(),
    title: (value) => titled(text(value)),
    trim: (value) => text(value).trim(),
    trimPrefix: (value, prefix) =>
      text(value).startsWith(text(prefix)) ? text(value).slice(text(prefix).length) : value,
    trimSuffix: (value, suffix) =>
      text(suffix) !== '' && text(value).endsWith(text(suffix)) ? text(value).slice(0, -text(suffix).length) : value,
    replace: (value, old, other) => text(value).replaceAll(text(old), () => text(other)),
    contains: (value, part) => text(value).includes(text(part)),
    hasPrefix: (value, prefix) => text(value).startsWith(text(prefix)),
    hasSuffix: (value, suffix) => text(value).endsWith(text(suffix)),
    quote: (value) => JSON.stringify(text(value)),
    default: (fallback, value) => (value === null || value === undefined || value === '' ? fallback : value),
    int: integer,
    int64: integer,
    float: number,
    float64: number,
    string: printed,
    not: (value) => !isTrue(value),
    eq: (value, ...others) => others.some((other) => jsonEqual(value, other)),
    ne: (a, b) => !jsonEqual(a, b),
    lt: (a, b) => compared(a, b) < 0,
    le: (a, b) => compared(a, b) <= 0,
    gt: (a, b) => compared(a, b) > 0,
    ge: (a, b) => compared(a, b) >= 0,
    len: length,
    index: (value, ...keys) => keys.reduce(element, value),
    print: (...args) => args.map(printed).join(''),
    printf: formatted,
  }
}
