import {
  boolType,
  bytesType,
  CelDouble,
  CelDuration,
  CelList,
  CelMap,
  CelTimestamp,
  type CelType,
  CelTypeValue,
  CelUint,
  type CelValue,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  timestampType,
  toJson,
  uintType,
} from '@orrery/cel'
import { base64Text } from '@orrery/kinds/values'

/** A case that cannot be expressed here, and why. */
export class NotApplicable extends Error {}

/** Protobuf's JSON form of a `cel.expr.Value`: one of these fields. */
export interface SpecValue {
  int64Value?: string
  uint64Value?: string
  doubleValue?: number | string
  stringValue?: string
  boolValue?: boolean
  bytesValue?: string
  nullValue?: null
  typeValue?: string
  listValue?: { values?: SpecValue[] }
  mapValue?: { entries?: { key: SpecValue; value: SpecValue }[] }
  objectValue?: { '@type': string; value?: string }
}

/** Protobuf's JSON form of a `cel.expr.Type`. */
export interface SpecType {
  primitive?: 'BOOL' | 'INT64' | 'UINT64' | 'DOUBLE' | 'STRING' | 'BYTES'
  wellKnown?: 'ANY' | 'TIMESTAMP' | 'DURATION'
  dyn?: object
  null?: null
  listType?: { elemType?: SpecType }
  mapType?: { keyType: SpecType; valueType: SpecType }
}

const PRIMITIVES = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
}
const WELL_KNOWN = { ANY: dynType, TIMESTAMP: timestampType, DURATION: durationType }

export function typeOf(type: SpecType): CelType {
  if (type.primitive !== undefined) return PRIMITIVES[type.primitive]
  if (type.wellKnown !== undefined) return WELL_KNOWN[type.wellKnown]
  if (type.dyn !== undefined) return dynType
  if (type.null !== undefined) return nullType
  if (type.listType !== undefined) return listType(typeOf(type.listType.elemType ?? { dyn: {} }))
  if (type.mapType !== undefined) return mapType(typeOf(type.mapType.keyType), typeOf(type.mapType.valueType))
  throw new NotApplicable('messages')
}

/** A value as JSON, the form of Kubernetes' data. */
export function bindingOf(value: SpecValue): unknown {
  if (value.int64Value !== undefined) return Number(value.int64Value)
  if (value.doubleValue !== undefined) return Number(value.doubleValue)
  if (value.stringValue !== undefined) return value.stringValue
  if (value.boolValue !== undefined) return value.boolValue
  if (value.bytesValue !== undefined) return value.bytesValue
  if (value.nullValue !== undefined) return null
  if (value.listValue !== undefined) return (value.listValue.values ?? []).map(bindingOf)
  if (value.mapValue !== undefined) {
    return Object.fromEntries(
      (value.mapValue.entries ?? []).map(({ key, value }) => [bindingOf(key), bindingOf(value)]),
    )
  }
  throw new NotApplicable('bindings that JSON does not have')
}

/** A text to compare two values by: the type and the content. */
export function expectedText(value: SpecValue): string {
  if (value.int64Value !== undefined) return `int ${value.int64Value}`
  if (value.uint64Value !== undefined) return `uint ${value.uint64Value}`
  if (value.doubleValue !== undefined) return `double ${Number(value.doubleValue)}`
  if (value.stringValue !== undefined) return `string ${JSON.stringify(value.stringValue)}`
  if (value.boolValue !== undefined) return `bool ${value.boolValue}`
  if (value.bytesValue !== undefined) return `bytes ${value.bytesValue}`
  if (value.nullValue !== undefined) return 'null'
  if (value.typeValue !== undefined) return `type ${value.typeValue}`
  if (value.listValue !== undefined) return listText((value.listValue.values ?? []).map(expectedText))
  if (value.mapValue !== undefined) {
    const entries = value.mapValue.entries ?? []
    return mapText(entries.map(({ key, value }) => [expectedText(key), expectedText(value)]))
  }
  const [, wellKnown] = /google\.protobuf\.(Duration|Timestamp)$/.exec(value.objectValue?.['@type'] ?? '') ?? []
  if (wellKnown !== undefined) return `${wellKnown.toLowerCase()} ${value.objectValue?.value}`
  throw new NotApplicable('messages')
}

export function actualText(value: CelValue): string {
  if (value === null) return 'null'
  if (typeof value === 'boolean') return `bool ${value}`
  if (typeof value === 'number' || typeof value === 'bigint') return `int ${value}`
  if (typeof value === 'string') return `string ${JSON.stringify(value)}`
  if (value instanceof CelUint) return `uint ${value.value}`
  if (value instanceof CelDouble) return `double ${value.value}`
  if (value instanceof Uint8Array) return `bytes ${base64Text(value)}`
  if (value instanceof CelTypeValue) return `type ${value.type.name.replace(/\(.*/, '')}`
  if (value instanceof CelTimestamp) return `timestamp ${toJson(value)}`
  if (value instanceof CelDuration) return `duration ${seconds(value.nanos)}`
  if (value instanceof CelList) return listText([...value].map(actualText))
  if (value instanceof CelMap) {
    return mapText([...value.keys()].map((key) => [actualText(key), actualText(value.find(key) ?? null)]))
  }
  return value.constructor.name
}

const listText = (items: readonly string[]): string => `[${items.join(', ')}]`
const mapText = (entries: readonly (readonly [string, string])[]): string =>
  `{${entries
    .map(([key, value]) => `${key}: ${value}`)
    .sort()
    .join(', ')}}`

/** A duration in protobuf's JSON form: `-1.5s`. */
function seconds(nanos: bigint): string {
  const size = nanos < 0n ? -nanos : nanos
  const decimals = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '')
  return `${nanos < 0n ? '-' : ''}${size / 1_000_000_000n}${decimals === '' ? '' : `.${decimals}`}s`
}
