import type { CelLibrary } from '../environment.js'
import { compare } from '../equal.js'
import { mathMacros } from '../macro.js'
import { type Overload, overload } from '../overload.js'
import type { CelList } from '../values/list.js'
import { CelDouble, CelEvalError, type CelInt, type CelUint, type CelValue, intOf, uintOf } from '../values/value.js'

const numbers = ['int', 'uint', 'double']

/** cel-go's math extension. Not in Kubernetes' own set of libraries. */
export const math: CelLibrary = {
  name: 'math',
  macros: mathMacros,
  overloads: [
    ...extremes('least', -1),
    ...extremes('greatest', 1),
    ...rounding('ceil', Math.ceil),
    ...rounding('floor', Math.floor),
    ...rounding('round', (value) => Math.sign(value) * Math.round(Math.abs(value))),
    ...rounding('trunc', Math.trunc),
    test('isInf', (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    test('isNaN', Number.isNaN),
    test('isFinite', Number.isFinite),
    overload('math_abs_double', 'math.abs(double) -> double', ({ value }: CelDouble) => new CelDouble(Math.abs(value))),
    overload('math_abs_int', 'math.abs(int) -> int', (value: CelInt) =>
      intOf(value < 0 ? -BigInt(value) : BigInt(value)),
    ),
    overload('math_abs_uint', 'math.abs(uint) -> uint', (value: CelUint) => value),
    overload(
      'math_sign_double',
      'math.sign(double) -> double',
      ({ value }: CelDouble) => new CelDouble(Math.sign(value)),
    ),
    overload('math_sign_int', 'math.sign(int) -> int', (value: CelInt) => (value < 0 ? -1 : value > 0 ? 1 : 0)),
    overload('math_sign_uint', 'math.sign(uint) -> uint', ({ value }: CelUint) => uintOf(value > 0n ? 1n : 0n)),
    overload(
      'math_sqrt_double',
      'math.sqrt(double) -> double',
      ({ value }: CelDouble) => new CelDouble(Math.sqrt(value)),
    ),
    overload('math_sqrt_int', 'math.sqrt(int) -> double', (value: CelInt) => new CelDouble(Math.sqrt(Number(value)))),
    overload(
      'math_sqrt_uint',
      'math.sqrt(uint) -> double',
      ({ value }: CelUint) => new CelDouble(Math.sqrt(Number(value))),
    ),
    ...bits('bitAnd', (a, b) => a & b),
    ...bits('bitOr', (a, b) => a | b),
    ...bits('bitXor', (a, b) => a ^ b),
    overload('math_bitNot_int_int', 'math.bitNot(int) -> int', (value: CelInt) => intOf(~BigInt(value))),
    overload('math_bitNot_uint_uint', 'math.bitNot(uint) -> uint', ({ value }: CelUint) =>
      uintOf(BigInt.asUintN(64, ~value)),
    ),
    ...shifts('bitShiftLeft', (value, by) => value << by),
    ...shifts('bitShiftRight', (value, by) => BigInt.asUintN(64, value) >> by),
  ],
}

/** The least or greatest of one or two numbers, or of a list. */
function extremes(name: string, sign: 1 | -1): Overload[] {
  const pick = (...values: CelValue[]) =>
    values.reduce((best, value) => (compare(value, best) * sign > 0 ? value : best))
  const pickOf = (list: CelList) => {
    if (list.length === 0) throw new CelEvalError(`math.@${sign < 0 ? 'min' : 'max'}(list) argument must not be empty`)
    return pick(...list)
  }
  const mixed = numbers.flatMap((a) => numbers.filter((b) => b !== a).map((b): [string, string] => [a, b]))
  return [
    ...numbers.map((type) => overload(`math_${name}_${type}`, `math.${name}(${type}) -> ${type}`, pick)),
    ...numbers.map((type) =>
      overload(`math_${name}_${type}_${type}`, `math.${name}(${type}, ${type}) -> ${type}`, pick),
    ),
    ...mixed.map(([a, b]) => overload(`math_${name}_${a}_${b}`, `math.${name}(${a}, ${b}) -> dyn`, pick)),
    ...numbers.map((type) => overload(`math_${name}_list_${type}`, `math.${name}(list(${type})) -> ${type}`, pickOf)),
  ]
}

function rounding(name: string, round: (value: number) => number): Overload[] {
  return [
    overload(
      `math_${name}_double`,
      `math.${name}(double) -> double`,
      ({ value }: CelDouble) => new CelDouble(round(value)),
    ),
  ]
}

function test(name: string, holds: (value: number) => boolean): Overload {
  return overload(`math_${name}_double`, `math.${name}(double) -> bool`, ({ value }: CelDouble) => holds(value))
}

function bits(name: string, operation: (a: bigint, b: bigint) => bigint): Overload[] {
  return [
    overload(`math_${name}_int_int`, `math.${name}(int, int) -> int`, (a: CelInt, b: CelInt) =>
      intOf(operation(BigInt(a), BigInt(b))),
    ),
    overload(`math_${name}_uint_uint`, `math.${name}(uint, uint) -> uint`, (a: CelUint, b: CelUint) =>
      uintOf(operation(a.value, b.value)),
    ),
  ]
}

function shifts(name: string, operation: (value: bigint, by: bigint) => bigint): Overload[] {
  const shifted = (value: bigint, by: CelInt): bigint => {
    if (by < 0) throw new CelEvalError(`math.${name}() negative offset: ${by}`)
    return by > 63 ? 0n : operation(value, BigInt(by))
  }
  return [
    overload(`math_${name}_int_int`, `math.${name}(int, int) -> int`, (value: CelInt, by: CelInt) =>
      intOf(BigInt.asIntN(64, shifted(BigInt(value), by))),
    ),
    overload(`math_${name}_uint_int`, `math.${name}(uint, int) -> uint`, ({ value }: CelUint, by: CelInt) =>
      uintOf(BigInt.asUintN(64, shifted(value, by))),
    ),
  ]
}
