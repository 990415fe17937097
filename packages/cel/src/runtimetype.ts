import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './type.js'
import { CelList } from './values/list.js'
import { CelMap } from './values/map.js'
import {
  CelDouble,
  CelDuration,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  isInt,
} from './values/value.js'

const dynList = listType(dynType)
const dynMap = mapType(dynType, dynType)
const dynOptional = optionalType(dynType)

/** The type of a value as in `type(x)`: without the types of a container's content. */
export function typeOfValue(value: CelValue): CelType {
  if (value === null) return nullType
  if (typeof value === 'boolean') return boolType
  if (typeof value === 'string') return stringType
  if (isInt(value)) return intType
  if (value instanceof CelDouble) return doubleType
  if (value instanceof CelUint) return uintType
  if (value instanceof CelList) return dynList
  if (value instanceof CelMap) return dynMap
  if (value instanceof Uint8Array) return bytesType
  if (value instanceof CelTimestamp) return timestampType
  if (value instanceof CelDuration) return durationType
  if (value instanceof CelTypeValue) return typeType
  if (value instanceof CelOptional) return dynOptional
  return value.type
}

/** Whether an overload accepts a value for this type. */
export function admits(type: CelType, value: CelValue): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true
    case 'int':
      return isInt(value)
    case 'string':
      return typeof value === 'string'
    case 'opaque':
      return typeOfValue(value).name === type.name
    default:
      return typeOfValue(value).kind === type.kind
  }
}
