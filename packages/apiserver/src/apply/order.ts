import type { JsonObject, JsonValue } from '@orrery/kube'
import { type Element, elementValue } from './element.js'

/**
 * Sorts the elements of one node of a field set: fields by name, then keyed items, set items and indices by value.
 * Returns the same array when it was in order already.
 */
export function sortElements(elements: Element[]): Element[] {
  if (isSortedByName(elements)) return elements
  const first = elements[0] as Element
  if (elements.every(isFieldOrSelf)) return elements.sort()
  if (elements.length === 2 && first === '.') return elements
  const ranked = elements.map((element) => ({ element, rank: rankOf(element), value: comparable(element) }))
  ranked.sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value))
  return ranked.map((item) => item.element)
}

function isSortedByName(elements: readonly Element[]): boolean {
  let previous = ''
  for (const element of elements) {
    if (element < previous || !isFieldOrSelf(element)) return elements.length < 2
    previous = element
  }
  return true
}

function isFieldOrSelf(element: Element): boolean {
  return element === '.' || element.charCodeAt(0) === 0x66
}

const RANKS: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 }

function rankOf(element: Element): number {
  return RANKS[element[0] as string] ?? 5
}

function comparable(element: Element): JsonValue {
  const kind = element[0]
  return kind === 'k' || kind === 'v' || kind === 'i' ? elementValue(element) : element.slice(2)
}

/** A total order over JSON values: numbers, strings, booleans, lists, objects, null. */
export function compareValues(a: JsonValue, b: JsonValue): number {
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

/** Members are taken in the order of their names. */
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
