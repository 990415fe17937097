import { codePointCount } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { contains, numeric } from '../equal.js'
import { overload } from '../overload.js'
import { typeOfValue } from '../runtimetype.js'
import type { CelList } from '../values/list.js'
import { type CelMap, HashMap } from '../values/map.js'
import { CelDouble, CelEvalError, CelUint, type CelValue, isInt } from '../values/value.js'

/** `in`, `size` and indexing, for strings, bytes, lists and maps. */
export const collection: CelLibrary = {
  name: 'collection',
  overloads: [
    overload('in_list', '@in(A, list(A)) -> bool', (value: CelValue, list: CelList) => contains(list, value)),
    overload('in_map', '@in(A, map(A, B)) -> bool', (key: CelValue, map: CelMap) => map.find(key) !== undefined),
    overload('index_list', '_[_](list(A), int) -> A', listItem),
    overload('index_map', '_[_](map(A, B), A) -> B', mapValue),
    overload('size_bytes', 'size(bytes) -> int', (bytes: Uint8Array) => bytes.length),
    overload('bytes_size', 'bytes.size() -> int', (bytes: Uint8Array) => bytes.length),
    overload('size_list', 'size(list(A)) -> int', (list: CelList) => list.length),
    overload('list_size', 'list(A).size() -> int', (list: CelList) => list.length),
    overload('size_map', 'size(map(A, B)) -> int', (map: CelMap) => map.size),
    overload('map_size', 'map(A, B).size() -> int', (map: CelMap) => map.size),
    overload('size_string', 'size(string) -> int', codePointCount),
    overload('string_size', 'string.size() -> int', codePointCount),
  ],
}

/** Used by the comprehensions that create maps. */
export const mapInsertion: CelLibrary = {
  name: 'mapInsertion',
  overloads: [
    overload('@mapInsert_map_key_value', 'cel.@mapInsert(map(K, V), K, V) -> map(K, V)', insertInto),
    overload(
      '@mapInsert_map_map',
      'cel.@mapInsert(map(K, V), map(K, V)) -> map(K, V)',
      (map: CelMap, other: CelMap) => {
        const result = copy(map)
        for (const key of other.keys()) result.insert(key, other.find(key) as CelValue)
        return result
      },
    ),
  ],
}

export function listItem(list: CelList, index: CelValue): CelValue {
  const at = listIndex(index)
  if (at === undefined || at < 0 || at >= list.length) throw new CelEvalError(`index out of bounds: ${String(index)}`)
  return list.at(at)
}

/** An index as a number; doubles and unsigned integers with a whole value are accepted. */
export function listIndex(index: CelValue): number | undefined {
  if (typeof index === 'number') return index
  if (isInt(index)) return undefined
  if (index instanceof CelDouble || index instanceof CelUint) {
    const whole = Number(index.value)
    if (Number.isSafeInteger(whole)) return whole
  }
  throw new CelEvalError(`unsupported index type '${typeOfValue(index).name}' in list`)
}

export function mapValue(map: CelMap, key: CelValue): CelValue {
  const value = map.find(key)
  if (value === undefined) throw noSuchKey(key)
  return value
}

/** The error for a missing key, or for a value that cannot be a key. */
export function noSuchKey(key: CelValue): CelEvalError {
  return isKey(key) ? new CelEvalError(`no such key: ${formatKey(key)}`) : notAKey(key)
}

/** Whether a value can be a key. */
export function isKey(value: CelValue): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || numeric(value) !== undefined
}

export function notAKey(value: CelValue): CelEvalError {
  return new CelEvalError(`invalid qualifier type: ${typeOfValue(value).name}`)
}

function insertInto(map: CelMap, key: CelValue, value: CelValue): CelMap {
  const result = copy(map)
  result.insert(key, value)
  return result
}

function copy(map: CelMap): HashMap {
  const result = new HashMap()
  for (const key of map.keys()) result.insert(key, map.find(key) as CelValue)
  return result
}

function formatKey(key: CelValue): string {
  return String(key instanceof CelDouble || key instanceof CelUint ? key.value : key)
}
