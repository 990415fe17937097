import type { CelType } from '../type.js'
import type { CelList } from './list.js'
import type { CelMap } from './map.js'

/**
 * The values of expressions. Integers are JavaScript numbers while these are exact and bigints beyond, so that JSON
 * integers need no conversion; every `number` is therefore an integer, and doubles are boxed.
 */
export type CelValue =
  | null
  | boolean
  | CelInt
  | CelUint
  | CelDouble
  | string
  | Uint8Array
  | CelTimestamp
  | CelDuration
  | CelList
  | CelMap
  | CelTypeValue
  | CelOptional
  | CelOpaque

/** A signed 64-bit integer. A bigint only outside the range in which numbers are exact. */
export type CelInt = number | bigint

export class CelUint {
  readonly value: bigint

  constructor(value: bigint) {
    this.value = value
  }
}

export class CelDouble {
  readonly value: number

  constructor(value: number) {
    this.value = value
  }
}

/** A moment, from year 1 to 9999, in nanoseconds. */
export class CelTimestamp {
  readonly seconds: number
  readonly nanos: number

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds
    this.nanos = nanos
  }
}

export class CelDuration {
  readonly nanos: bigint

  constructor(nanos: bigint) {
    this.nanos = nanos
  }
}

/** A type as a value: the result of `type(x)`, and names such as `int`. */
export class CelTypeValue {
  readonly type: CelType

  constructor(type: CelType) {
    this.type = type
  }
}

export class CelOptional {
  /** Undefined for `optional.none()`. */
  readonly value: CelValue | undefined

  constructor(value: CelValue | undefined) {
    this.value = value
  }
}

export const none = new CelOptional(undefined)

/** A value of a library: a quantity, an address, an authorizer. */
export abstract class CelOpaque {
  abstract readonly type: CelType
  abstract equals(other: CelOpaque): boolean
  /** The `size` in cost formulas. */
  get costSize(): number {
    return 1
  }
}

/** An evaluation error. The message is cel-go's. */
export class CelEvalError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'CelEvalError'
  }
}

/** The evaluation exceeded its cost limit. Unlike other errors, no expression can absorb it. */
export class CelCostExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded')
    this.name = 'CelCostExceeded'
  }
}

export function noSuchOverload(): CelEvalError {
  return new CelEvalError('no such overload')
}

/** A 64-bit integer in its canonical form. Throws if it does not fit. */
export function intOf(value: bigint): CelInt {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value)
  if (BigInt.asIntN(64, value) !== value) throw new CelEvalError('integer overflow')
  return value
}

export function uintOf(value: bigint): CelUint {
  if (BigInt.asUintN(64, value) !== value) throw new CelEvalError('unsigned integer overflow')
  return new CelUint(value)
}

export function isInt(value: unknown): value is CelInt {
  return typeof value === 'number' || typeof value === 'bigint'
}
