import type { JsonObject, JsonValue } from '@orrery/kinds'
import { type Element, elementValue } from './element.js'

/**
 * Sorts the elements of a node: fields by name, then keyed items, set items and indices by value. Fields, by far the
 * most common, need no parsing.
 */
export function sortElements(elements: Element[]): Element[] {
  if (elements.length < 2) return elements
  if (elements.every(isField)) return isSorted(elements) ? elements : elements.sort()
  return elements
    .map((element) => ({ element, rank: RANKS[element[0] as string] ?? 0, value: comparable(element) }))
    .sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value))
    .map((item) => item.element)
}

const RANKS: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 }

function isField(element: Element): boolean {
  return element.startsWith('f:')
}

function isSorted(elements: readonly Element[]): boolean {
  for (let i = 1; i < elements.length; i++) if ((elements[i] as Element) < (elements[i - 1] as Element)) return false
  return true
}

function comparable(element: Element): JsonValue {
  return isField(element) ? element.slice(2) : elementValue(element)
}

/** A total order of JSON values: numbers, strings, booleans, lists, objects, null. */
function compareValues(a: JsonValue, b: JsonValue): number {
  const types = typeRank(a) - typeRank(b)
  if (types !== 0) return types
  if (typeof a === 'object' && a !== null) {
    return Array.isArray(a) ? compareLists(a, b as JsonValue[]) : compareObjects(a, b as JsonObject)
  }
  return compareScalars(a as string, b as string)
}

function compareScalars(a: string | number | boolean, b: string | number | boolean): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function typeRank(value: JsonValue): number {
  if (value === null) return 5
  switch (typeof value) {
    case 'number':
      return 0
    case 'string':
      return 1
    case 'boolean':
      return 2
    default:
      return Array.isArray(value) ? 3 : 4
  }
}

function compareLists(a: JsonValue[], b: JsonValue[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i] as JsonValue, b[i] as JsonValue)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Compares members in the order of their names. */
function compareObjects(a: JsonObject, b: JsonObject): number {
  const left = Object.keys(a).sort()
  const right = Object.keys(b).sort()
  for (let i = 0; i < left.length && i < right.length; i++) {
    const name = left[i] as string
    const order = compareScalars(name, right[i] as string) || compareValues(a[name] as JsonValue, b[name] as JsonValue)
    if (order !== 0) return order
  }
  return left.length - right.length
}
