import { hexText, utf8Bytes } from '@orrery/kinds/values'
import type { CelLibrary } from '../environment.js'
import type { Clause, FormatStyle } from '../format-style.js'
import { overload } from '../overload.js'
import { typeOfValue } from '../runtimetype.js'
import type { CelList } from '../values/list.js'
import { CelEvalError, CelUint, type CelValue, isInt } from '../values/value.js'
import { checkTextSize } from './text.js'

type FormatPart = string | Clause

const bits = new Set(['dyn', 'int', 'uint'])
const bytes = new Set([...bits, 'string', 'bytes'])
const sharedKinds: Readonly<Record<string, ReadonlySet<string>>> = {
  s: new Set('dyn string bool bytes int uint double map list type duration timestamp null'.split(' ')),
  b: new Set([...bits, 'bool']),
  o: bits,
  x: bytes,
  X: bytes,
}

/** The types that a clause accepts. */
export function kindsFor({ kinds }: FormatStyle, letter: string): ReadonlySet<string> | undefined {
  return letter === 'd' || letter === 'f' || letter === 'e' ? kinds[letter] : sharedKinds[letter]
}

export const DEFAULT_PRECISION = 6
const MAX_PRECISION = 100

/** Parses a format string. Throws for unknown clauses. */
export function parseFormat(format: string): FormatPart[] {
  const parts: FormatPart[] = []
  let at = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent !== at) {
      const end = percent < 0 ? format.length : percent
      parts.push(format.slice(at, end))
      at = end
    } else if (format[at + 1] === '%') {
      parts.push('%')
      at += 2
    } else {
      const clause = parseClause(format, at)
      parts.push(clause)
      at = clause.end
    }
  }
  return parts
}

function parseClause(format: string, percent: number): Clause & { end: number } {
  if (percent + 1 >= format.length) throw new CelEvalError('unexpected end of string')
  let at = percent + 1
  let precision = DEFAULT_PRECISION
  if (format[at] === '.') {
    const digits = /^\.(\d*)/.exec(format.slice(at))?.[1] ?? ''
    at += digits.length + 1
    if (at >= format.length)
      throw clauseError('error while parsing precision: could not find end of precision specifier')
    if (digits === '' || digits.length > 3 || Number(digits) > MAX_PRECISION) {
      throw clauseError(
        `error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing ${JSON.stringify(digits)}: invalid syntax`,
      )
    }
    precision = Number(digits)
  }
  const letter = format[at] ?? ''
  if (!'sdfebxXo'.includes(letter)) throw clauseError(`unrecognized formatting clause "${letter}"`)
  return { letter, precision, end: at + 1 }
}

function clauseError(problem: string): CelEvalError {
  return new CelEvalError(`could not parse formatting clause: ${problem}`)
}

/** The library of `text.format([…])`, with a style. */
export function formatLibrary(name: string, formatStyle: FormatStyle): CelLibrary {
  const signature = 'string.format(list(dyn)) -> string'
  const run = (text: string, args: CelList) => format(formatStyle, text, args)
  return { name, overloads: [overload('string_format', signature, run)], formatStyle }
}

function format(style: FormatStyle, text: string, args: CelList): string {
  let next = 0
  let result = ''
  for (const part of parseFormat(text)) {
    if (typeof part === 'string') {
      result += part
      continue
    }
    if (next >= args.length) throw new CelEvalError(`index ${next} out of range`)
    const value = args.at(next)
    const written = write(style, part, value)
    if (written === undefined) throw cannotShow(style, part.letter, typeOfValue(value).name)
    result += written
    checkTextSize(result.length)
    next++
  }
  return result
}

function write(style: FormatStyle, clause: Clause, value: CelValue): string | undefined {
  const { letter } = clause
  if (letter === 's') return style.text(value)
  if (letter === 'd') return style.whole(value)
  if (letter === 'f' || letter === 'e') return style.real(clause, value)
  return letter === 'b' || letter === 'o' ? formatBits(letter, value) : formatHex(letter, value)
}

/** The error for a value of a type that a clause does not support. */
export function cannotShow({ problems }: FormatStyle, letter: string, type: string): CelEvalError {
  const problem = letter === 's' ? NO_TEXT : problems[letter.toLowerCase() as keyof typeof problems]
  return new CelEvalError(`error during formatting: ${problem}, was given ${type}`)
}

const NO_TEXT =
  'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps'

/** `%b` and `%o`. */
function formatBits(letter: string, value: CelValue): string | undefined {
  if (letter === 'b' && typeof value === 'boolean') return value ? '1' : '0'
  const number = isInt(value) ? BigInt(value) : value instanceof CelUint ? value.value : undefined
  return number?.toString(letter === 'b' ? 2 : 8)
}

/** `%x` and `%X`. */
function formatHex(letter: string, value: CelValue): string | undefined {
  let text: string | undefined
  if (isInt(value)) text = BigInt(value).toString(16)
  else if (value instanceof CelUint) text = value.value.toString(16)
  else if (typeof value === 'string') text = hexText(utf8Bytes(value))
  else if (value instanceof Uint8Array) text = hexText(value)
  return letter === 'X' ? text?.toUpperCase() : text
}
