import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  fieldTooLong,
  indexPath,
  isObject,
  keyPath,
} from '@orrery/kinds/values'
import { entriesOf, type Value } from './read.js'

/**
 * Validates one value and reports its errors. `undefined` is an absent field. Written as a method so that a check of a
 * struct is a check too: tables use it where the schema has a struct.
 */
export type Check = { look(value: Value, at: string, errors: FieldError[]): void }['look']

/** Validates a struct; an absent one is passed as empty, as in Go. */
export type StructCheck = (value: JsonObject, at: string, errors: FieldError[]) => void

/** Returns why a string is invalid, with kube-apiserver's messages; empty if it is valid. */
export type Format = (value: string) => readonly string[]

/**
 * Rules by path, run in the order of the table. A path consists of field names with these marks: `name?` continues only
 * if the field is present (a pointer in Go; without the mark an absent struct is read as empty), `name[]` iterates over
 * a list, `name{}` over the values of a map. `.` is the struct itself, optionally followed by a comment (`. ports are
 * unique`), so that it can occur several times.
 */
export type Rules = Readonly<Record<string, Check | readonly Check[]>>

interface Node {
  readonly name: string
  readonly step: 'field' | 'optional' | 'items' | 'values'
  readonly checks: Check[]
  readonly children: Map<string, Node>
}

const EMPTY: JsonObject = Object.freeze({})

/** Compiles a table of rules into one check of the struct. */
export function struct(rules: Rules): StructCheck {
  const root = new Map<string, Node>()
  for (const [path, given] of Object.entries(rules)) {
    const checks: readonly Check[] = typeof given === 'function' ? [given] : given
    // The position of a rule for the whole struct determines the order of messages.
    if (path.startsWith('.')) root.set(path, { name: '', step: 'field', checks: [...checks], children: new Map() })
    else insert(root, path.split('.'), checks)
  }
  return (value, at, errors) => walk(root, isObject(value) ? value : EMPTY, at, errors)
}

function insert(level: Map<string, Node>, segments: readonly string[], checks: readonly Check[]): void {
  const [segment = '', ...rest] = segments
  let node = level.get(segment)
  if (node === undefined) {
    node = parseSegment(segment)
    level.set(segment, node)
  }
  if (rest.length > 0) insert(node.children, rest, checks)
  else node.checks.push(...checks)
}

function parseSegment(segment: string): Node {
  const node = { checks: [], children: new Map() }
  if (segment.endsWith('[]')) return { ...node, name: segment.slice(0, -2), step: 'items' }
  if (segment.endsWith('{}')) return { ...node, name: segment.slice(0, -2), step: 'values' }
  if (segment.endsWith('?')) return { ...node, name: segment.slice(0, -1), step: 'optional' }
  return { ...node, name: segment, step: 'field' }
}

function walk(nodes: ReadonlyMap<string, Node>, parent: JsonObject, at: string, errors: FieldError[]): void {
  for (const node of nodes.values()) {
    if (node.name === '') {
      for (const check of node.checks) check(parent, at, errors)
      continue
    }
    const value = parent[node.name]
    const path = at === '' ? node.name : `${at}.${node.name}`
    if (node.step === 'items') {
      if (!Array.isArray(value)) continue
      for (let i = 0; i < value.length; i++) visit(node, value[i], indexPath(path, i), errors)
    } else if (node.step === 'values') {
      for (const [key, item] of entriesOf(parent, node.name)) visit(node, item, keyPath(path, key), errors)
    } else if (node.step === 'field' || value !== undefined) {
      visit(node, value, path, errors)
    }
  }
}

function visit(node: Node, value: Value, at: string, errors: FieldError[]): void {
  for (const check of node.checks) check(value, at, errors)
  if (node.children.size > 0) walk(node.children, isObject(value) ? value : EMPTY, at, errors)
}

/** The value must not be missing or empty. */
export function required(detail = ''): Check {
  return (value, at, errors) => {
    if (isBlank(value)) errors.push(fieldRequired(at, detail))
  }
}

/** A string that must be valid, even if it is empty. */
export function formatted(format: Format): Check {
  return (value, at, errors) => reportFormat(format, typeof value === 'string' ? value : '', at, errors)
}

/** A string that must be valid unless it is empty. */
export function optionally(format: Format): Check {
  return (value, at, errors) => {
    if (typeof value === 'string' && value !== '') reportFormat(format, value, at, errors)
  }
}

/** A string that must be present and valid. */
export function named(format: Format, detail = ''): Check {
  return (value, at, errors) => {
    if (typeof value !== 'string' || value === '') errors.push(fieldRequired(at, detail))
    else reportFormat(format, value, at, errors)
  }
}

export function reportFormat(format: Format, value: string, at: string, errors: FieldError[]): void {
  for (const message of format(value)) errors.push(fieldInvalid(at, value, message))
}

/** One of a few values; an empty value is reported as required. */
export function oneOf(...values: readonly string[]): Check {
  return (value, at, errors) => {
    if (isBlank(value)) errors.push(fieldRequired(at))
    else if (!values.includes(value as string)) errors.push(fieldNotSupported(at, value, values))
  }
}

/** One of a few values; an empty value is reported as unsupported. */
export function strictlyOneOf(...values: readonly string[]): Check {
  return (value, at, errors) => {
    if (!values.includes((value ?? '') as string)) errors.push(fieldNotSupported(at, value ?? '', values))
  }
}

export const NOT_NEGATIVE = 'must be greater than or equal to 0'
export const IMMUTABLE = 'field is immutable'

export const nonNegative: Check = (value, at, errors) => {
  if (typeof value === 'number' && value < 0) errors.push(fieldInvalid(at, value, NOT_NEGATIVE))
}

export const positive: Check = (value, at, errors) => {
  const number = typeof value === 'number' ? value : 0
  if (number <= 0) errors.push(fieldInvalid(at, number, 'must be greater than zero'))
}

/** A number in a closed range; an absent one counts as zero. */
export function between(low: number, high: number, detail = `must be between ${low} and ${high}, inclusive`): Check {
  return (value, at, errors) => {
    const number = typeof value === 'number' ? value : 0
    if (number < low || number > high) errors.push(fieldInvalid(at, number, detail))
  }
}

export const portNumber = between(1, 65535)

export function atMostBytes(limit: number): Check {
  return (value, at, errors) => {
    if (typeof value === 'string' && Buffer.byteLength(value) > limit) errors.push(fieldTooLong(at, limit))
  }
}

/** Runs a check only if the value is not empty. */
export function ifSet(check: Check): Check {
  return (value, at, errors) => {
    if (!isBlank(value)) check(value, at, errors)
  }
}

function isBlank(value: Value): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}
