import type { CelLibrary } from '../environment.js'
import { optionalMacros } from '../macro.js'
import { overload } from '../overload.js'
import { dynType, optionalType } from '../type.js'
import { ArrayList, CelList } from '../values/list.js'
import { CelMap } from '../values/map.js'
import { CelDouble, CelDuration, CelEvalError, CelOptional, CelUint, type CelValue, none } from '../values/value.js'
import { isKey, listIndex, notAKey } from './collection.js'

/** Optional values, and `?` in selections and literals. */
export const optional: CelLibrary = {
  name: 'optional',
  types: [optionalType(dynType)],
  macros: optionalMacros,
  overloads: [
    overload('optional_of', 'optional.of(V) -> optional(V)', (value: CelValue) => new CelOptional(value)),
    overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V) -> optional(V)', (value: CelValue) =>
      isZero(value) ? none : new CelOptional(value),
    ),
    overload('optional_none', 'optional.none() -> optional(V)', () => none),
    overload('optional_value', 'optional(V).value() -> V', ({ value }: CelOptional) => {
      if (value === undefined) throw new CelEvalError('optional.none() dereference')
      return value
    }),
    overload('optional_hasValue', 'optional(V).hasValue() -> bool', ({ value }: CelOptional) => value !== undefined),
    overload('optional_or_optional', 'optional(V).or(optional(V)) -> optional(V)', (a: CelOptional, b: CelOptional) =>
      a.value === undefined ? b : a,
    ),
    overload('optional_orValue_value', 'optional(V).orValue(V) -> V', ({ value }: CelOptional, other: CelValue) =>
      value === undefined ? other : value,
    ),
    overload('list_optindex_optional_int', '_[?_](list(V), int) -> optional(V)', optionalItem),
    overload('optional_list_optindex_optional_int', '_[?_](optional(list(V)), int) -> optional(V)', throughOptional),
    overload('map_optindex_optional_value', '_[?_](map(K, V), K) -> optional(V)', optionalEntry),
    overload('optional_map_optindex_optional_value', '_[?_](optional(map(K, V)), K) -> optional(V)', throughOptional),
    overload('optional_list_index_int', '_[_](optional(list(V)), int) -> optional(V)', throughOptional),
    overload('optional_map_index_value', '_[_](optional(map(K, V)), K) -> optional(V)', throughOptional),
    overload('list_first', 'list(V).first() -> optional(V)', (list: CelList) => optionalItem(list, 0)),
    overload('list_last', 'list(V).last() -> optional(V)', (list: CelList) => optionalItem(list, list.length - 1)),
    overload('optional_unwrap', 'optional.unwrap(list(optional(V))) -> list(V)', unwrap),
    overload('optional_unwrapOpt', 'list(optional(V)).unwrapOpt() -> list(V)', unwrap),
  ],
}

/** `container[?key]`, for a list, a map, or an optional one. */
export function optionalIndex(container: CelValue, key: CelValue): CelOptional {
  if (container instanceof CelOptional) return throughOptional(container, key)
  if (container instanceof CelList) return optionalItem(container, key)
  if (!isKey(key)) throw notAKey(key)
  return container instanceof CelMap ? optionalEntry(container, key) : none
}

function throughOptional({ value }: CelOptional, key: CelValue): CelOptional {
  return value === undefined ? none : optionalIndex(value, key)
}

function optionalItem(list: CelList, index: CelValue): CelOptional {
  const at = listIndex(index)
  return at === undefined || at < 0 || at >= list.length ? none : new CelOptional(list.at(at))
}

function optionalEntry(map: CelMap, key: CelValue): CelOptional {
  const value = map.find(key)
  return value === undefined ? none : new CelOptional(value)
}

function unwrap(list: CelList): CelList {
  const values: CelValue[] = []
  for (const item of list) {
    if (item instanceof CelOptional && item.value !== undefined) values.push(item.value)
  }
  return new ArrayList(values)
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0 || value === '') return true
  if (value instanceof CelDouble) return value.value === 0
  if (value instanceof CelUint) return value.value === 0n
  if (value instanceof CelDuration) return value.nanos === 0n
  if (value instanceof CelList || value instanceof Uint8Array) return value.length === 0
  return value instanceof CelMap ? value.size === 0 : value instanceof CelOptional && value.value === undefined
}
