import { formatGoFloat, utf8Bytes } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import { formatTimestamp } from '../json.js'
import { overload } from '../overload.js'
import { typeOfValue } from '../runtimetype.js'
import {
  boolType,
  bytesType,
  doubleType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  typeType,
  uintType,
} from '../type.js'
import {
  CelDouble,
  type CelDuration,
  CelEvalError,
  type CelInt,
  type CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  intOf,
  uintOf,
} from '../values/value.js'
import { parseCelDuration, parseTimestamp, timestampOf } from './time.js'

const truths = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const falsehoods = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False'])
const TWO_63 = 2 ** 63
const TWO_64 = 2 ** 64

const identity = (value: CelValue) => value

/** `int(x)`, `string(x)` and the other conversions, `type(x)` and `dyn(x)`. */
export const conversion: CelLibrary = {
  name: 'conversion',
  types: [
    boolType,
    intType,
    uintType,
    doubleType,
    stringType,
    bytesType,
    nullType,
    listType(dynType),
    mapType(dynType, dynType),
    typeType,
  ],
  overloads: [
    overload('type', 'type(A) -> type(A)', (value: CelValue) => new CelTypeValue(typeOfValue(value))),
    overload('to_dyn', 'dyn(A) -> dyn', identity),

    overload('bool_to_bool', 'bool(bool) -> bool', identity),
    overload('string_to_bool', 'bool(string) -> bool', (text: string) => {
      if (truths.has(text)) return true
      if (falsehoods.has(text)) return false
      throw conversionError('string', 'bool')
    }),

    overload('bytes_to_bytes', 'bytes(bytes) -> bytes', identity),
    overload('string_to_bytes', 'bytes(string) -> bytes', utf8Bytes),

    overload('double_to_double', 'double(double) -> double', identity),
    overload('int64_to_double', 'double(int) -> double', (value: CelInt) => new CelDouble(Number(value))),
    overload('string_to_double', 'double(string) -> double', (text: string) => new CelDouble(parseDouble(text))),
    overload('uint64_to_double', 'double(uint) -> double', ({ value }: CelUint) => new CelDouble(Number(value))),

    overload('duration_to_duration', 'duration(duration) -> duration', identity),
    // Declared in cel-go, but not implemented there.
    overload('int64_to_duration', 'duration(int) -> duration', () => {
      throw conversionError('int', 'google.protobuf.Duration')
    }),
    overload('string_to_duration', 'duration(string) -> duration', parseCelDuration),

    overload('int64_to_int64', 'int(int) -> int', identity),
    overload('double_to_int64', 'int(double) -> int', ({ value }: CelDouble) => {
      if (!(value > -TWO_63 && value < TWO_63)) throw new CelEvalError('integer overflow')
      return intOf(BigInt(Math.trunc(value)))
    }),
    overload('duration_to_int64', 'int(duration) -> int', ({ nanos }: CelDuration) => intOf(nanos)),
    overload('string_to_int64', 'int(string) -> int', (text: string) => intOf(parseInteger(text, 'int', true))),
    overload('timestamp_to_int64', 'int(timestamp) -> int', ({ seconds }: CelTimestamp) => seconds),
    overload('uint64_to_int64', 'int(uint) -> int', ({ value }: CelUint) => intOf(value)),

    overload('uint64_to_uint64', 'uint(uint) -> uint', identity),
    overload('double_to_uint64', 'uint(double) -> uint', ({ value }: CelDouble) => {
      if (!(value >= 0 && value < TWO_64)) throw new CelEvalError('unsigned integer overflow')
      return uintOf(BigInt(Math.trunc(value)))
    }),
    overload('int64_to_uint64', 'uint(int) -> uint', (value: CelInt) => uintOf(BigInt(value))),
    overload(
      'string_to_uint64',
      'uint(string) -> uint',
      (text: string) => new CelUint(parseInteger(text, 'uint', false)),
    ),

    overload('string_to_string', 'string(string) -> string', identity),
    overload('bool_to_string', 'string(bool) -> string', String),
    overload('bytes_to_string', 'string(bytes) -> string', decodeUtf8),
    overload('double_to_string', 'string(double) -> string', ({ value }: CelDouble) => formatGoFloat(value)),
    overload('duration_to_string', 'string(duration) -> string', formatSeconds),
    overload('int64_to_string', 'string(int) -> string', String),
    overload('timestamp_to_string', 'string(timestamp) -> string', formatTimestamp),
    overload('uint64_to_string', 'string(uint) -> string', ({ value }: CelUint) => `${value}`),

    overload('timestamp_to_timestamp', 'timestamp(timestamp) -> timestamp', identity),
    overload('int64_to_timestamp', 'timestamp(int) -> timestamp', (seconds: CelInt) =>
      timestampOf(BigInt(seconds) * 1_000_000_000n),
    ),
    overload('string_to_timestamp', 'timestamp(string) -> timestamp', parseTimestamp),
  ],
}

/** A duration in seconds, as CEL formats it: `5400s`, `0.5s`. */
export function formatSeconds({ nanos }: CelDuration): string {
  return `${formatDecimal(Number(nanos) / 1e9)}s`
}

/** The fewest digits, and no exponent. */
function formatDecimal(value: number): string {
  const text = String(value)
  return text.includes('e') ? value.toFixed(9).replace(/0+$/, '') : text
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new CelEvalError('invalid UTF-8 in bytes, cannot convert to string')
  }
}

function parseInteger(text: string, type: 'int' | 'uint', signed: boolean): bigint {
  if (!(signed ? /^[+-]?[0-9]{1,40}$/ : /^[0-9]{1,40}$/).test(text)) throw conversionError('string', type)
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text)
  const fits = signed ? BigInt.asIntN(64, value) : BigInt.asUintN(64, value)
  if (fits !== value) throw conversionError('string', type)
  return value
}

function parseDouble(text: string): number {
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  if (/^nan$/i.test(text)) return Number.NaN
  const value = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw conversionError('string', 'double')
  return value
}

function conversionError(from: string, to: string): CelEvalError {
  return new CelEvalError(`type conversion error from '${from}' to '${to}'`)
}
