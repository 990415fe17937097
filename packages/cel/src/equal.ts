import { compareBytes, formatGoJson } from '@orrery/kinds/values'
import { JsonObject, toJson } from './json.js'
import { CelList } from './values/list.js'
import { CelMap, hashKey } from './values/map.js'
import {
  CelDouble,
  CelDuration,
  CelEvalError,
  type CelInt,
  CelOpaque,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isInt,
  noSuchOverload,
} from './values/value.js'

/** Whether two values are equal. Values of different types are not, but numbers compare by value. */
export function equal(a: CelValue, b: CelValue): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a === 'string' || typeof b === 'string') return false
  if (typeof a === 'boolean' || typeof b === 'boolean') return false
  const pair = numbers(a, b)
  if (pair !== undefined) {
    // Loose equality is what JavaScript compares bigints and numbers by.
    // biome-ignore lint/suspicious/noDoubleEquals: exact between number and bigint
    return pair[0] == pair[1]
  }
  if (a instanceof CelList) return b instanceof CelList && equalLists(a, b)
  if (a instanceof CelMap) return b instanceof CelMap && equalMaps(a, b)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0
  if (a instanceof CelTimestamp) return b instanceof CelTimestamp && a.seconds === b.seconds && a.nanos === b.nanos
  if (a instanceof CelDuration) return b instanceof CelDuration && a.nanos === b.nanos
  if (a instanceof CelTypeValue) return b instanceof CelTypeValue && sameKind(a, b)
  if (a instanceof CelOptional) return b instanceof CelOptional && equalOptionals(a, b)
  return a instanceof CelOpaque && b instanceof CelOpaque && a.type.name === b.type.name && a.equals(b)
}

/** Orders two values. Throws if they cannot be ordered. */
export function compare(a: CelValue, b: CelValue): number {
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  const pair = numbers(a, b)
  if (pair !== undefined) {
    const [left, right] = pair
    if (Number.isNaN(left) || Number.isNaN(right)) throw new CelEvalError('NaN values cannot be ordered')
    return left < right ? -1 : left > right ? 1 : 0
  }
  if (a instanceof CelTimestamp && b instanceof CelTimestamp) return a.seconds - b.seconds || a.nanos - b.nanos
  if (a instanceof CelDuration && b instanceof CelDuration) return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b)
  throw noSuchOverload()
}

/**
 * Two numbers in comparable form. Integers compare exactly, and with a double as the nearest double, as in cel-go:
 * 9223372036854775807 equals 9223372036854775808.0. Undefined unless both are numbers.
 */
function numbers(a: CelValue, b: CelValue): readonly [number | bigint, number | bigint] | undefined {
  const left = numeric(a)
  const right = numeric(b)
  if (left === undefined || right === undefined) return undefined
  if (a instanceof CelDouble || b instanceof CelDouble) return [Number(left), Number(right)]
  return [left, right]
}

/** The value of any type of number, in a form that JavaScript compares exactly. */
export function numeric(value: CelValue): number | bigint | undefined {
  if (isInt(value)) return value
  return value instanceof CelDouble || value instanceof CelUint ? value.value : undefined
}

/** By code point, not by UTF-16 unit. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i)
    const right = b.charCodeAt(i)
    if (left === right) continue
    const leftHigh = left >= 0xd800 && left <= 0xdfff
    const rightHigh = right >= 0xd800 && right <= 0xdfff
    if (leftHigh !== rightHigh) return leftHigh ? 1 : -1
    return left - right
  }
  return a.length - b.length
}

/** The key of an item of a `map` list, as a string. */
export function listMapKey(item: CelValue, keys: readonly string[]): string {
  if (!(item instanceof CelMap)) throw noSuchOverload()
  return JSON.stringify(keys.map((key) => String((item.field(key) as CelInt | string | undefined) ?? null)))
}

function equalLists(a: CelList, b: CelList): boolean {
  if (a.length !== b.length) return false
  if (a.listType === 'set') return equalSets(a, b)
  if (a.listType === 'map') return equalMapLists(a, b)
  for (let i = 0; i < a.length; i++) {
    if (!equal(a.at(i), b.at(i))) return false
  }
  return true
}

function equalSets(a: CelList, b: CelList): boolean {
  const left = new Set([...a].map(setKey))
  const right = new Set([...b].map(setKey))
  return left.size === right.size && [...right].every((key) => left.has(key))
}

/** Sets usually contain scalars; anything else is identified by its JSON. */
export function setKey(item: CelValue): unknown {
  return hashKey(item) ?? `json:${formatGoJson(toJson(item))}`
}

function equalMapLists(a: CelList, b: CelList): boolean {
  const byKey = new Map([...a].map((item) => [listMapKey(item, a.keys), item]))
  return [...b].every((item) => {
    const other = byKey.get(listMapKey(item, a.keys))
    return other !== undefined && equal(other, item)
  })
}

export function contains(list: CelList, value: CelValue): boolean {
  for (let i = 0; i < list.length; i++) {
    if (equal(list.at(i), value)) return true
  }
  return false
}

function equalMaps(a: CelMap, b: CelMap): boolean {
  if (a instanceof JsonObject || b instanceof JsonObject) return equalObjects(a, b)
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    const left = a.find(key)
    const right = b.find(key)
    if (left === undefined || right === undefined || !equal(left, right)) return false
  }
  return true
}

/** Structs are equal if their known fields are; a null field counts as absent. */
function equalObjects(a: CelMap, b: CelMap): boolean {
  if (a.size !== b.size) return false
  for (const key of a.keys()) {
    const left = a.find(key)
    const right = b.find(key)
    if (left === undefined || right === undefined) {
      if (left !== right) return false
    } else if (!equal(left, right)) return false
  }
  return true
}

/** `list(int)` and `list(string)` are both the type `list` at run time. */
function sameKind(a: CelTypeValue, b: CelTypeValue): boolean {
  return a.type.kind === b.type.kind && a.type.name === b.type.name
}

function equalOptionals(a: CelOptional, b: CelOptional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value
  return equal(a.value, b.value)
}
