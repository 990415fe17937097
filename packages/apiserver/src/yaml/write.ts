import type { JsonObject, JsonValue } from '@orrery/kinds'
import { isNotJson, readNumber, readWord } from './resolve.js'

/**
 * Strings that need no quotes: they do not start with an indicator, and contain no indicator formed by a colon or
 * space.
 */
const PLAIN = /^(?!---|\.\.\.)(?:-(?! |$))?[A-Za-z0-9_/.$()+^](?:[!-"$-9;-~]| (?!#)|:(?! |$)|(?<! )#)*$/
/** Single-line strings that can be single-quoted unchanged. */
const ONE_LINE = /^[\x20-\x7e\u00a0-\u2027\u2030-\ud7ff\ue000-\ufefe\uff00-\ufffd]+$/
/** YAML 1.1 has sexagesimal numbers. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/
/** YAML 1.1 has dates. */
const DATE = /^\d{4}-\d/
const MAX_PLAIN = 1000
/** Multi-line strings that can be written as a block: only printable characters and line ends. */
const BLOCK = /^[\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufffd]+$/

/** Formats a JSON value as YAML like Go's conversion of JSON to YAML: block style, sorted keys. */
export function formatYaml(value: JsonValue): string {
  const out: string[] = []
  if (isEmpty(value) || typeof value !== 'object') out.push(scalar(value, 0), '\n')
  else if (Array.isArray(value)) writeList(value, '', out)
  else writeMapping(value as JsonObject, '', '', out)
  return out.join('')
}

/** `first` precedes the first key instead of the indentation: empty after a `- `. */
function writeMapping(object: JsonObject, first: string, indent: string, out: string[]): void {
  let before = first
  for (const key of Object.keys(object).sort()) {
    const value = object[key]
    if (value === undefined) continue
    out.push(before, text(key, -1), ':')
    writeMember(value, indent, out)
    before = indent
  }
}

function writeMember(value: JsonValue, indent: string, out: string[]): void {
  if (isEmpty(value) || typeof value !== 'object') out.push(' ', scalar(value, indent.length), '\n')
  else if (Array.isArray(value)) {
    out.push('\n')
    writeList(value, indent, out)
  } else {
    out.push('\n')
    const deeper = `${indent}  `
    writeMapping(value as JsonObject, deeper, deeper, out)
  }
}

function writeList(items: readonly JsonValue[], indent: string, out: string[]): void {
  const deeper = `${indent}  `
  for (const item of items) {
    out.push(indent, '-')
    if (isEmpty(item) || typeof item !== 'object') out.push(' ', scalar(item, indent.length), '\n')
    else if (Array.isArray(item)) {
      out.push(' ')
      const nested: string[] = []
      writeList(item, deeper, nested)
      // The first line continues after the dash.
      nested[0] = ''
      for (const part of nested) out.push(part)
    } else {
      out.push(' ')
      writeMapping(item as JsonObject, '', deeper, out)
    }
  }
}

function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0
}

function scalar(value: JsonValue, indent: number): string {
  if (typeof value === 'string') return text(value, indent)
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}'
  return JSON.stringify(value)
}

/** Formats a string, quoted if it would be read as something else. `indent` is -1 for keys, which are on one line. */
function text(value: string, indent: number): string {
  if (isSpecial(value)) return JSON.stringify(value)
  if (value.length <= MAX_PLAIN && PLAIN.test(value) && !value.endsWith(' ')) return value
  if (indent >= 0 && value.includes('\n') && BLOCK.test(value) && !/^[\n ]/.test(value)) return block(value, indent)
  return ONE_LINE.test(value) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value)
}

function isSpecial(value: string): boolean {
  if (readWord(value) !== undefined || readNumber(value) !== undefined || isNotJson(value)) return true
  return DATE.test(value) || SEXAGESIMAL.test(value)
}

function block(value: string, indent: number): string {
  const margin = ' '.repeat(indent + 2)
  let end = value.length
  while (end > 0 && value[end - 1] === '\n') end--
  const body = value.slice(0, end)
  const ending = value.length - end
  const mark = ending === 0 ? '|-' : ending === 1 ? '|' : '|+'
  const lines = body.split('\n').map((line) => (line === '' ? '' : margin + line))
  return `${mark}\n${lines.join('\n')}${'\n'.repeat(Math.max(0, ending - 1))}`
}
