import {
  addQuantity,
  compareQuantity,
  isQuantity,
  ParseError,
  parseQuantity,
  type Quantity,
  quantityAtScale,
  quantityIsInteger,
  quantityOf,
  quantityToNumber,
  subtractQuantity,
} from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { overload } from '../overload.js'
import { type CelType, opaqueType } from '../type.js'
import { CelDouble, CelEvalError, type CelInt, CelOpaque, intOf } from '../values/value.js'

const quantityType = opaqueType('kubernetes.Quantity')

class CelQuantity extends CelOpaque {
  readonly type: CelType = quantityType
  readonly quantity: Quantity

  constructor(quantity: Quantity) {
    super()
    this.quantity = quantity
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && compareQuantity(this.quantity, other.quantity) === 0
  }
}

type Pair = [CelQuantity, CelQuantity]

/** Kubernetes' quantities. */
export const quantity: CelLibrary = {
  name: 'kubernetes.quantity',
  types: [quantityType],
  overloads: [
    overload('string_to_quantity', 'quantity(string) -> <kubernetes.Quantity>', toQuantity),
    overload('is_quantity_string', 'isQuantity(string) -> bool', isQuantity),
    overload('quantity_sign', 'sign(<kubernetes.Quantity>) -> int', ({ quantity }: CelQuantity) =>
      compareQuantity(quantity, quantityOf(0)),
    ),
    overload(
      'quantity_is_greater_than',
      '<kubernetes.Quantity>.isGreaterThan(<kubernetes.Quantity>) -> bool',
      (...[a, b]: Pair) => compareQuantity(a.quantity, b.quantity) > 0,
    ),
    overload(
      'quantity_is_less_than',
      '<kubernetes.Quantity>.isLessThan(<kubernetes.Quantity>) -> bool',
      (...[a, b]: Pair) => compareQuantity(a.quantity, b.quantity) < 0,
    ),
    overload(
      'quantity_compare_to',
      '<kubernetes.Quantity>.compareTo(<kubernetes.Quantity>) -> int',
      (...[a, b]: Pair) => compareQuantity(a.quantity, b.quantity),
    ),
    overload(
      'quantity_get_float',
      '<kubernetes.Quantity>.asApproximateFloat() -> double',
      ({ quantity }: CelQuantity) => new CelDouble(quantityToNumber(quantity)),
    ),
    overload('quantity_get_int', '<kubernetes.Quantity>.asInteger() -> int', ({ quantity }: CelQuantity) => {
      if (!fitsInteger(quantity)) throw new CelEvalError('cannot convert value to integer')
      return intOf(quantityAtScale(quantity, 0))
    }),
    overload('quantity_is_integer', '<kubernetes.Quantity>.isInteger() -> bool', ({ quantity }: CelQuantity) =>
      fitsInteger(quantity),
    ),
    overload(
      'quantity_add',
      '<kubernetes.Quantity>.add(<kubernetes.Quantity>) -> <kubernetes.Quantity>',
      (...[a, b]: Pair) => new CelQuantity(addQuantity(a.quantity, b.quantity)),
    ),
    overload(
      'quantity_add_int',
      '<kubernetes.Quantity>.add(int) -> <kubernetes.Quantity>',
      (a: CelQuantity, b: CelInt) => new CelQuantity(addQuantity(a.quantity, quantityOf(b))),
    ),
    overload(
      'quantity_sub',
      '<kubernetes.Quantity>.sub(<kubernetes.Quantity>) -> <kubernetes.Quantity>',
      (...[a, b]: Pair) => new CelQuantity(subtractQuantity(a.quantity, b.quantity)),
    ),
    overload(
      'quantity_sub_int',
      '<kubernetes.Quantity>.sub(int) -> <kubernetes.Quantity>',
      (a: CelQuantity, b: CelInt) => new CelQuantity(subtractQuantity(a.quantity, quantityOf(b))),
    ),
  ],
}

function toQuantity(text: string): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(text))
  } catch (error) {
    if (error instanceof ParseError) throw new CelEvalError(error.message)
    throw error
  }
}

function fitsInteger(quantity: Quantity): boolean {
  if (!quantityIsInteger(quantity)) return false
  const value = quantityAtScale(quantity, 0)
  return BigInt.asIntN(64, value) === value
}
