import type { JsonValue } from '@orrery/kinds'
import { type FieldError, fieldDuplicate, fieldTooMany, indexPath, keyPath } from '@orrery/kinds/values'
import type { Check } from '../check.js'
import { entriesOf, listOf, type Value } from '../read.js'

/** Validates the items of a list. A list that is too long is reported and skipped. */
export function checkItems(
  parent: Value,
  name: string,
  at: string,
  limit: number,
  check: Check,
  errors: FieldError[],
): void {
  const items = listOf(parent, name)
  const path = `${at}.${name}`
  if (items.length > limit) return void errors.push(fieldTooMany(path, items.length, limit))
  for (const [index, item] of items.entries()) check(item, indexPath(path, index), errors)
}

/** Validates the items of a list, with unique keys. */
export function checkSet(
  parent: Value,
  name: string,
  at: string,
  limit: number,
  check: Check,
  keyOf: (item: JsonValue) => string,
  errors: FieldError[],
): void {
  checkItems(parent, name, at, limit, check, errors)
  const items = listOf(parent, name)
  if (items.length > limit) return
  const seen = new Set<string>()
  for (const [index, item] of items.entries()) {
    const key = keyOf(item)
    if (seen.has(key)) errors.push(fieldDuplicate(indexPath(`${at}.${name}`, index), key))
    seen.add(key)
  }
}

/** Validates keys and values of a map. Errors of keys have the path of the map. */
export function checkMap(
  parent: Value,
  name: string,
  at: string,
  limit: number,
  checkKey: Check,
  check: Check,
  errors: FieldError[],
): void {
  const entries = entriesOf(parent, name)
  const path = `${at}.${name}`
  if (entries.length > limit) return void errors.push(fieldTooMany(path, entries.length, limit))
  for (const [key, value] of entries) {
    checkKey(key, path, errors)
    check(value, keyPath(path, shortened(key)), errors)
  }
}

/** The maximum length of a domain, a slash and an identifier. */
const MAX_KEY = 63 + 1 + 32

function shortened(key: string): string {
  if (key.length <= MAX_KEY) return key
  const rest = MAX_KEY - 3
  return `${key.slice(0, Math.ceil(rest / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`
}

export const textKey = (item: JsonValue): string => String(item)
