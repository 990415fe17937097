import { codePointCount, utf8Length } from '@orrery/kinds/values'
import { CelFormat } from './library/format.js'
import type { CallCost, Overload } from './overload.js'
import { CelList } from './values/list.js'
import { CelMap } from './values/map.js'
import { CelOpaque, CelOptional, type CelValue } from './values/value.js'

/** Traversing a string, per character. */
export const TEXT_FACTOR = 0.1
/** Matching one character with a pattern, per character of the pattern. */
export const PATTERN_FACTOR = 0.25
export const LIST_COST = 10
export const MAP_COST = 30
export const STRUCT_COST = 40
export const CHECK_COST = 350_000

const one: CallCost = { when: 'fixed', cost: 1 }

/** Characters, bytes, items or entries; 1 for values without a size. */
function sizeOf(value: CelValue): number {
  if (typeof value === 'string') return codePointCount(value)
  if (value instanceof CelList || value instanceof Uint8Array) return value.length
  if (value instanceof CelMap) return value.size
  if (value instanceof CelOpaque) return value.costSize
  return value instanceof CelOptional && value.value !== undefined ? sizeOf(value.value) : 1
}

const traverseFirst = before(([first]) => text(first))
const traverseFirstTwice = before(([first]) => Math.ceil(sizeOf(first as CelValue) * 2 * TEXT_FACTOR))
const traverseDeep = before(([first]) => traversal(first as CelValue))
const shorterOf = before(([a, b]) => {
  if (a instanceof CelOpaque) return 1
  return Math.ceil(Math.min(sizeOf(a as CelValue), sizeOf(b as CelValue)) * TEXT_FACTOR)
})
const bothTexts = before(([a, b]) => Math.ceil((sizeOf(a as CelValue) + sizeOf(b as CelValue)) * TEXT_FACTOR))
const patternMatch = before(([subject, pattern]) => {
  const subjectCost = Math.ceil((1 + sizeOf(subject as CelValue)) * TEXT_FACTOR)
  return subjectCost * Math.ceil(sizeOf(pattern as CelValue) * PATTERN_FACTOR)
})
const selfCompare = before(([list]) => selfComparison(list as CelList))
const sizeOfResult: CallCost = { when: 'after', cost: (result) => sizeOf(result) + 1 + LIST_COST }

const byOverload: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['list_slice', sizeOfResult],
  ['lists_range', sizeOfResult],
  ['list_reverse', sizeOfResult],
  ['list_flatten', before(([list]) => sizeOf(list as CelValue) + 1 + LIST_COST)],
  ['list_flatten_int', before(([list, depth]) => sizeOf(list as CelValue) * Number(depth) + 1 + LIST_COST)],
  ['list_distinct', selfCompare],
  ['list_sets_contains_list', setProduct(1)],
  ['list_sets_intersects_list', setProduct(1)],
  ['list_sets_equivalent_list', setProduct(2)],
  ['starts_with_string', traverseFirst],
  ['ends_with_string', traverseFirst],
  ['string_to_bytes', traverseFirst],
  ['bytes_to_string', traverseFirst],
  ['strings_quote', traverseFirst],
  ['string_format', traverseFirst],
  ['in_list', before(([, list]) => sizeOf(list as CelValue))],
  ['equals', shorterOf],
  ['not_equals', shorterOf],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id): [string, CallCost][] => [
    [`${id}_string`, shorterOf],
    [`${id}_bytes`, shorterOf],
  ]),
  ['add_string', bothTexts],
  ['add_bytes', bothTexts],
  ['matches_string', patternMatch],
  ['contains_string', before(([a, b]) => text(a) * text(b))],
  ['cidr_ip', one],
  ...['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'].flatMap(
    (type): [string, CallCost][] => [
      [`list_${type}_sort`, selfCompare],
      [`list_${type}_sortByAssociatedKeys`, before(([, keys]) => selfComparison(keys as CelList))],
    ],
  ),
])

const byFunction: ReadonlyMap<string, CallCost> = new Map<string, CallCost>([
  ['check', { when: 'fixed', cost: CHECK_COST }],
  ...['fieldSelector', 'labelSelector'].map((name): [string, CallCost] => [name, before(([, text]) => selector(text))]),
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes'].map((name): [string, CallCost] => [
    name,
    traverseDeep,
  ]),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'ip', 'cidr', 'isIP', 'isCIDR'].map(
    (name): [string, CallCost] => [name, traverseFirst],
  ),
  ...['quantity', 'isQuantity', 'semver', 'isSemver'].map((name): [string, CallCost] => [name, traverseFirst]),
  ...['replace', 'split', 'ip.isCanonical'].map((name): [string, CallCost] => [name, traverseFirstTwice]),
  ['join', { when: 'after', cost: (result) => Math.ceil(sizeOf(result) * 2 * TEXT_FACTOR) }],
  ['find', patternMatch],
  ['findAll', patternMatch],
  ['containsIP', before(([net, other]) => contained(net, typeof other === 'string' ? other : ''))],
  [
    'containsCIDR',
    before(([net, other]) => {
      const masked = Math.ceil(sizeOf(net as CelValue) * TEXT_FACTOR) + 1
      return contained(net, typeof other === 'string' ? other : '') + masked
    }),
  ],
  [
    'validate',
    before(([format, subject]) => {
      const pattern = format instanceof CelFormat ? format.patternSize : 0
      return Math.ceil((1 + sizeOf(subject as CelValue)) * TEXT_FACTOR) * Math.ceil(pattern * PATTERN_FACTOR)
    }),
  ],
])

/** The rule for a call. Rules of an overload only apply if the types determine it. */
export function callCost({ id, function: name, cost }: Overload, isOnly: boolean): CallCost {
  return cost ?? (isOnly ? byOverload.get(id) : undefined) ?? byFunction.get(name) ?? one
}

function before(cost: (args: readonly CelValue[]) => number): CallCost {
  return { when: 'before', cost }
}

function text(value: CelValue | undefined): number {
  return Math.ceil(sizeOf(value as CelValue) * TEXT_FACTOR)
}

function contained(net: CelValue | undefined, other: string): number {
  return Math.ceil(sizeOf(net as CelValue) * 2 * TEXT_FACTOR) + text(other)
}

/** A selector is parsed, and every other character may start a requirement. */
function selector(value: CelValue | undefined): number {
  const length = sizeOf(value as CelValue)
  return LIST_COST + Math.ceil(length * TEXT_FACTOR) + Math.ceil(length * 0.5) * (LIST_COST + STRUCT_COST)
}

function setProduct(factor: number): CallCost {
  return before(([a, b]) => sizeOf(a as CelValue) * sizeOf(b as CelValue) * factor + 1)
}

/** Every item with every other. */
function selfComparison(list: CelList): number {
  const first = list.length === 0 ? null : list.at(0)
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2 + TEXT_FACTOR : 2
  return Math.floor(list.length ** 2 * factor) + 1 + LIST_COST
}

/** Everything inside a value. */
function traversal(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * TEXT_FACTOR)
  if (value instanceof Uint8Array) return Math.floor(value.length * TEXT_FACTOR)
  if (value instanceof CelList) return [...value].reduce<number>((sum, item) => sum + traversal(item), 0)
  if (value instanceof CelMap) {
    let sum = 0
    for (const key of value.keys()) sum += traversal(key) + traversal(value.find(key) as CelValue)
    return sum
  }
  return 1
}
