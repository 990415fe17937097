import type { JsonSchema } from '@orrery/cel/schema'
import { GO_ESCAPES } from '@orrery/kinds/values'

/** A path such as `.spec.ports['http']` that does not exist in a schema. */
export class FieldPathError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'FieldPathError'
  }
}

export interface SchemaAtPath {
  /** The path in the form of field errors: `spec.ports`, `spec.labels[a]`. */
  readonly path: string
  readonly schema: JsonSchema
}

const ESCAPES: Readonly<Record<string, string>> = { ...GO_ESCAPES, "'": "'" }

/**
 * Follows a path of field accesses, with dots or with brackets and single quotes, to its schema. Throws
 * `FieldPathError` if it does not exist.
 */
export function followFieldPath(path: string, root: JsonSchema, allowBrackets = true): SchemaAtPath {
  const tokens = tokensOf(path)
  let at: SchemaAtPath = { path: '', schema: root }
  for (let next = tokens.next(); next !== undefined; next = tokens.next()) {
    if (next === '.') {
      at = step(at, tokens.expect())
    } else if (next === '[') {
      if (!allowBrackets) throw new FieldPathError('array notation is not allowed')
      at = step(at, unquoted(tokens.expect()))
      const end = tokens.expect()
      if (end !== ']') throw new FieldPathError(`expected ] but got ${end}`)
    } else {
      throw new FieldPathError(`expected [ or . but got: ${next}`)
    }
  }
  return at
}

function step({ path, schema }: SchemaAtPath, name: string): SchemaAtPath {
  if (schema.properties) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    if (!property) throw new FieldPathError('does not refer to a valid field')
    return { path: path === '' ? name : `${path}.${name}`, schema: property }
  }
  if (typeof schema.additionalProperties !== 'object') throw new FieldPathError('does not refer to a valid field')
  return { path: `${path}[${name}]`, schema: schema.additionalProperties }
}

interface Tokens {
  next(): string | undefined
  expect(): string
}

function tokensOf(path: string): Tokens {
  let at = 0
  const next = () => {
    if (at >= path.length) return undefined
    const start = at
    at = path[start] === "'" ? quoteEnd(path, start) : wordEnd(path, start)
    return path.slice(start, at)
  }
  const expect = () => {
    const token = next()
    if (token === undefined) throw new FieldPathError('unexpected end of JSON path')
    return token
  }
  return { next, expect }
}

function quoteEnd(path: string, start: number): number {
  for (let at = start + 1; at < path.length; at++) if (path[at] === "'" && path[at - 1] !== '\\') return at + 1
  return path.length
}

function wordEnd(path: string, start: number): number {
  let at = start
  while (at < path.length && !'.[]'.includes(path[at] as string)) at++
  return at === start ? start + 1 : at
}

function unquoted(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) {
    throw new FieldPathError(`expected single quoted string but got ${token}`)
  }
  return token.slice(1, -1).replace(/\\(.)/g, (sequence, letter: string) => {
    const character = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (character === undefined) throw new FieldPathError(`invalid string literal: invalid escape char ${sequence}`)
    return character
  })
}
