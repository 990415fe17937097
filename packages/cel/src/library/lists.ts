import type { CelLibrary } from '../environment.js'
import { compare, contains, equal } from '../equal.js'
import { type Overload, overload } from '../overload.js'
import { ArrayList, CelList } from '../values/list.js'
import { hashKey } from '../values/map.js'
import {
  CelCostExceeded,
  CelDouble,
  CelDuration,
  CelEvalError,
  type CelInt,
  CelUint,
  type CelValue,
} from '../values/value.js'
import { arithmetic } from './arithmetic.js'
import { sortByMacros } from './sort-by.js'

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes']
const summable: ReadonlyMap<string, CelValue> = new Map<string, CelValue>([
  ['int', 0],
  ['uint', new CelUint(0n)],
  ['double', new CelDouble(0)],
  ['duration', new CelDuration(0n)],
])
const addIds: Readonly<Record<string, string>> = {
  int: 'add_int64',
  uint: 'add_uint64',
  double: 'add_double',
  duration: 'add_duration_duration',
}

/** Kubernetes' list functions. */
export const kubernetesLists: CelLibrary = {
  name: 'kubernetes.lists',
  overloads: [
    ...forEach(comparable, (type) =>
      overload(`list_${type}_is_sorted_bool`, `list(${type}).isSorted() -> bool`, isSorted),
    ),
    ...forEach([...summable.keys()], (type) =>
      overload(`list_${type}_sum_${type}`, `list(${type}).sum() -> ${type}`, sumOf(type)),
    ),
    ...forEach(comparable, (type) =>
      overload(`list_${type}_max_${type}`, `list(${type}).max() -> ${type}`, extreme('max', 1)),
    ),
    ...forEach(comparable, (type) =>
      overload(`list_${type}_min_${type}`, `list(${type}).min() -> ${type}`, extreme('min', -1)),
    ),
    overload('list_a_index_of_int', 'list(A).indexOf(A) -> int', (list: CelList, value: CelValue) => {
      for (let i = 0; i < list.length; i++) if (equal(list.at(i), value)) return i
      return -1
    }),
    overload('list_a_last_index_of_int', 'list(A).lastIndexOf(A) -> int', (list: CelList, value: CelValue) => {
      for (let i = list.length - 1; i >= 0; i--) if (equal(list.at(i), value)) return i
      return -1
    }),
    overload('list_includes_dyn_dyn', 'dyn.includes(dyn) -> bool', (target: CelValue, value: CelValue) =>
      target instanceof CelList ? contains(target, value) : equal(target, value),
    ),
  ],
}

/** cel-go's list extension, version 3. */
export const lists: CelLibrary = {
  name: 'lists',
  macros: sortByMacros,
  overloads: [
    overload('list_slice', 'list(T).slice(int, int) -> list(T)', slice),
    overload('list_flatten', 'list(list(T)).flatten() -> list(T)', (list: CelList) => flatten(list, 1)),
    overload('list_flatten_int', 'list(dyn).flatten(int) -> list(dyn)', (list: CelList, depth: CelInt) => {
      if (depth < 0) throw new CelEvalError('level must be non-negative')
      return flatten(list, Number(depth))
    }),
    ...forEach(comparable, (type) =>
      overload(`list_${type}_sort`, `list(${type}).sort() -> list(${type})`, (list: CelList) => sortByKeys(list, list)),
    ),
    ...forEach(comparable, (type) =>
      overload(
        `list_${type}_sortByAssociatedKeys`,
        `list(T).@sortByAssociatedKeys(list(${type})) -> list(T)`,
        sortByKeys,
      ),
    ),
    overload('lists_range', 'lists.range(int) -> list(int)', range),
    overload('list_reverse', 'list(T).reverse() -> list(T)', (list: CelList) => new ArrayList([...list].reverse())),
    overload('list_distinct', 'list(T).distinct() -> list(T)', distinct),
  ],
}

/** cel-go's set extension: lists as sets. */
export const sets: CelLibrary = {
  name: 'sets',
  overloads: [
    overload('list_sets_contains_list', 'sets.contains(list(T), list(T)) -> bool', containsAll),
    overload(
      'list_sets_equivalent_list',
      'sets.equivalent(list(T), list(T)) -> bool',
      (a: CelList, b: CelList) => containsAll(a, b) && containsAll(b, a),
    ),
    overload('list_sets_intersects_list', 'sets.intersects(list(T), list(T)) -> bool', (a: CelList, b: CelList) => {
      const has = membership(b)
      return [...a].some(has)
    }),
  ],
}

function forEach(types: readonly string[], declare: (type: string) => Overload): Overload[] {
  return types.map(declare)
}

function isSorted(list: CelList): boolean {
  for (let i = 1; i < list.length; i++) {
    if (compare(list.at(i - 1), list.at(i)) > 0) return false
  }
  return true
}

function sumOf(type: string): (list: CelList) => CelValue {
  const zero = summable.get(type) as CelValue
  const add = arithmetic.overloads.find(({ id }) => id === addIds[type]) as Overload
  return (list) => {
    let sum = zero
    for (const item of list) sum = add.call(sum, item)
    return sum
  }
}

function extreme(name: string, sign: 1 | -1): (list: CelList) => CelValue {
  return (list) => {
    if (list.length === 0) throw new CelEvalError(`${name} called on empty list`)
    let best = list.at(0)
    for (let i = 1; i < list.length; i++) {
      const item = list.at(i)
      if (compare(item, best) * sign > 0) best = item
    }
    return best
  }
}

function slice(list: CelList, start: CelInt, end: CelInt): CelList {
  const what = `cannot slice(${start}, ${end})`
  if (start < 0 || end < 0) throw new CelEvalError(`${what}, negative indexes not supported`)
  if (start > end) throw new CelEvalError(`${what}, start index must be less than or equal to end index`)
  if (list.length < end) throw new CelEvalError(`${what}, list is length ${list.length}`)
  const items: CelValue[] = []
  for (let i = Number(start); i < end; i++) items.push(list.at(i))
  return new ArrayList(items)
}

function flatten(list: CelList, depth: number): CelList {
  const items: CelValue[] = []
  for (const item of list) {
    if (item instanceof CelList && depth > 0) {
      for (const inner of flatten(item, depth - 1)) items.push(inner)
    } else items.push(item)
  }
  return new ArrayList(items)
}

function sortByKeys(list: CelList, keys: CelList): CelList {
  if (list.length !== keys.length) {
    const sizes = `got ${list.length} and ${keys.length} elements respectively`
    throw new CelEvalError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but ${sizes}`,
    )
  }
  const pairs = [...keys].map((key, index): [CelValue, number] => [key, index])
  pairs.sort(([a], [b]) => compare(a, b))
  return new ArrayList(pairs.map(([, index]) => list.at(index)))
}

/** More than any budget allows, so the list need not be created. */
const MAX_RANGE = 1_000_000

function range(length: CelInt): CelList {
  if (length > MAX_RANGE) throw new CelCostExceeded()
  return new ArrayList(Array.from({ length: Math.max(0, Number(length)) }, (_, index) => index))
}

/** Whether a list contains a value: by hash if values have one, one by one otherwise. */
function membership(list: CelList): (value: CelValue) => boolean {
  const hashes = new Set<unknown>()
  const others: CelValue[] = []
  for (const item of list) {
    const hash = hashKey(item)
    if (hash === undefined) others.push(item)
    else hashes.add(hash)
  }
  return (value) => {
    const hash = hashKey(value)
    return hash === undefined ? others.some((other) => equal(other, value)) : hashes.has(hash)
  }
}

function containsAll(list: CelList, part: CelList): boolean {
  const has = membership(list)
  return [...part].every(has)
}

function distinct(list: CelList): CelList {
  const hashes = new Set<unknown>()
  const others: CelValue[] = []
  const kept = [...list].filter((item) => {
    const hash = hashKey(item)
    if (hash !== undefined) return !hashes.has(hash) && hashes.add(hash)
    if (others.some((other) => equal(other, item))) return false
    others.push(item)
    return true
  })
  return new ArrayList(kept)
}
