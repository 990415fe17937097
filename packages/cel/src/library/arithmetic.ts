import { joinBytes } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { compare, equal, listMapKey, setKey } from '../equal.js'
import { overload } from '../overload.js'
import { ArrayList, type CelList } from '../values/list.js'
import {
  CelDouble,
  type CelDuration,
  CelEvalError,
  type CelInt,
  type CelTimestamp,
  type CelUint,
  type CelValue,
  intOf,
  uintOf,
} from '../values/value.js'
import { checkTextSize } from './text.js'
import { durationOf, timestampOf } from './time.js'

/** `+`, `-`, `*`, `/`, `%` and negation, with the checks of 64-bit arithmetic. */
export const arithmetic: CelLibrary = {
  name: 'arithmetic',
  overloads: [
    overload('add_bytes', '_+_(bytes, bytes) -> bytes', (a: Uint8Array, b: Uint8Array) => {
      return joinBytes([a, b])
    }),
    overload(
      'add_double',
      '_+_(double, double) -> double',
      doubles((a, b) => a + b),
    ),
    overload('add_duration_duration', '_+_(duration, duration) -> duration', (a: CelDuration, b: CelDuration) =>
      durationOf(a.nanos + b.nanos),
    ),
    overload('add_duration_timestamp', '_+_(duration, timestamp) -> timestamp', (a: CelDuration, b: CelTimestamp) =>
      shift(b, a.nanos),
    ),
    overload('add_timestamp_duration', '_+_(timestamp, duration) -> timestamp', (a: CelTimestamp, b: CelDuration) =>
      shift(a, b.nanos),
    ),
    overload('add_int64', '_+_(int, int) -> int', addInts),
    overload('add_list', '_+_(list(A), list(A)) -> list(A)', addLists),
    overload('add_string', '_+_(string, string) -> string', (a: string, b: string) => {
      checkTextSize(a.length + b.length)
      return a + b
    }),
    overload(
      'add_uint64',
      '_+_(uint, uint) -> uint',
      uints((a, b) => a + b),
    ),

    overload(
      'subtract_double',
      '_-_(double, double) -> double',
      doubles((a, b) => a - b),
    ),
    overload('subtract_duration_duration', '_-_(duration, duration) -> duration', (a: CelDuration, b: CelDuration) =>
      durationOf(a.nanos - b.nanos),
    ),
    overload('subtract_int64', '_-_(int, int) -> int', subtractInts),
    overload(
      'subtract_timestamp_duration',
      '_-_(timestamp, duration) -> timestamp',
      (a: CelTimestamp, b: CelDuration) => shift(a, -b.nanos),
    ),
    overload(
      'subtract_timestamp_timestamp',
      '_-_(timestamp, timestamp) -> duration',
      (a: CelTimestamp, b: CelTimestamp) =>
        durationOf(BigInt(a.seconds - b.seconds) * 1_000_000_000n + BigInt(a.nanos - b.nanos)),
    ),
    overload(
      'subtract_uint64',
      '_-_(uint, uint) -> uint',
      uints((a, b) => a - b),
    ),

    overload(
      'multiply_double',
      '_*_(double, double) -> double',
      doubles((a, b) => a * b),
    ),
    overload('multiply_int64', '_*_(int, int) -> int', multiplyInts),
    overload(
      'multiply_uint64',
      '_*_(uint, uint) -> uint',
      uints((a, b) => a * b),
    ),

    overload(
      'divide_double',
      '_/_(double, double) -> double',
      doubles((a, b) => a / b),
    ),
    overload('divide_int64', '_/_(int, int) -> int', (a: CelInt, b: CelInt) => {
      if (b === 0) throw new CelEvalError('division by zero')
      return intOf(BigInt(a) / BigInt(b))
    }),
    overload('divide_uint64', '_/_(uint, uint) -> uint', (a: CelUint, b: CelUint) => {
      if (b.value === 0n) throw new CelEvalError('division by zero')
      return uintOf(a.value / b.value)
    }),

    overload('modulo_int64', '_%_(int, int) -> int', (a: CelInt, b: CelInt) => {
      if (b === 0) throw new CelEvalError('modulus by zero')
      // The only remainder that overflows in 64 bits.
      if (b === -1 && BigInt(a) === -(1n << 63n)) throw new CelEvalError('integer overflow')
      return intOf(BigInt(a) % BigInt(b))
    }),
    overload('modulo_uint64', '_%_(uint, uint) -> uint', (a: CelUint, b: CelUint) => {
      if (b.value === 0n) throw new CelEvalError('modulus by zero')
      return uintOf(a.value % b.value)
    }),

    overload('negate_double', '-_(double) -> double', (a: CelDouble) => new CelDouble(-a.value)),
    overload('negate_int64', '-_(int) -> int', (a: CelInt) => intOf(-BigInt(a))),
    overload('logical_not', '!_(bool) -> bool', (a: boolean) => !a),
  ],
}

/** Numbers first, since nearly all are small; the exact way if the result may not be. */
function addInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (Number.isSafeInteger(sum)) return sum
  }
  return intOf(BigInt(a) + BigInt(b))
}

function subtractInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    if (Number.isSafeInteger(difference)) return difference
  }
  return intOf(BigInt(a) - BigInt(b))
}

function multiplyInts(a: CelInt, b: CelInt): CelInt {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    // Adding zero turns -0 into 0.
    if (Number.isSafeInteger(product)) return product + 0
  }
  return intOf(BigInt(a) * BigInt(b))
}

function uints(operation: (a: bigint, b: bigint) => bigint): (a: CelUint, b: CelUint) => CelUint {
  return (a, b) => uintOf(operation(a.value, b.value))
}

function doubles(operation: (a: number, b: number) => number): (a: CelDouble, b: CelDouble) => CelDouble {
  return (a, b) => new CelDouble(operation(a.value, b.value))
}

/** Lists that are sets or maps in the schema stay so: the items of the second are merged in. */
function addLists(a: CelList, b: CelList): CelList {
  if (a.listType === 'set') {
    const items = new Map<unknown, CelValue>()
    for (const item of [...a, ...b]) {
      const key = setKey(item)
      if (!items.has(key)) items.set(key, item)
    }
    return new ArrayList([...items.values()])
  }
  if (a.listType === 'map') {
    const items = new Map<string, CelValue>()
    for (const item of [...a, ...b]) items.set(listMapKey(item, a.keys), item)
    return new ArrayList([...items.values()])
  }
  return new ArrayList([...a, ...b])
}

function shift(timestamp: CelTimestamp, nanos: bigint): CelTimestamp {
  return timestampOf(BigInt(timestamp.seconds) * 1_000_000_000n + BigInt(timestamp.nanos) + nanos)
}

const ordered = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration']
const ids: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' }

/** `==`, `<` and the other comparisons, `in`, and the logical operators, which evaluate their arguments themselves. */
export const comparison: CelLibrary = {
  name: 'comparison',
  overloads: [
    overload('equals', '_==_(A, A) -> bool', equal),
    overload('not_equals', '_!=_(A, A) -> bool', (a: CelValue, b: CelValue) => !equal(a, b)),
    ...orderings('less', '<', (order) => order < 0),
    ...orderings('less_equals', '<=', (order) => order <= 0),
    ...orderings('greater', '>', (order) => order > 0),
    ...orderings('greater_equals', '>=', (order) => order >= 0),
  ],
}

function orderings(id: string, sign: string, holds: (order: number) => boolean) {
  const call = (a: CelValue, b: CelValue) => holds(compare(a, b))
  const numbers = ['int', 'uint', 'double']
  const mixed = numbers.flatMap((a) => numbers.filter((b) => b !== a).map((b): [string, string] => [a, b]))
  return [
    ...ordered.map((type) => overload(`${id}_${ids[type] ?? type}`, `_${sign}_(${type}, ${type}) -> bool`, call)),
    ...mixed.map(([a, b]) => overload(`${id}_${ids[a] ?? a}_${ids[b] ?? b}`, `_${sign}_(${a}, ${b}) -> bool`, call)),
  ]
}
