import { TemplateError, ValueError } from '@orrery/kinds/values'
import type { ClusterValues } from './values.js'

/** One source of a value. */
type Term =
  | { readonly from: 'name' }
  | { readonly from: 'labels' | 'claims'; readonly key: string }
  | { readonly from: 'text'; readonly text: string }

/** The content of braces: the first term that has a value, as text, number or boolean. */
export interface Expression {
  readonly terms: readonly Term[]
  readonly as: 'text' | 'number' | 'boolean'
}

const TOKEN =
  /\s*(\?\?|[()[\]]|}}|cluster\.(?:name|labels|claims)(?![\w.-])|(?:number|boolean)(?=\s*\()|'[^']*'|"[^"]*")\s*/y

/**
 * Parses an expression in a text, from after its opening braces to after its closing ones:
 *
 *     expression = chain | "number(" chain ")" | "boolean(" chain ")"
 *     chain      = term { "??" term }
 *     term       = cluster.name | cluster.labels['key'] | cluster.claims['key'] | 'text'
 */
export function parseExpression(
  text: string,
  start: number,
): { readonly expression: Expression; readonly end: number } {
  const tokens = new Tokens(text, start)
  const first = tokens.next()
  const conversion = first === 'number' || first === 'boolean' ? first : undefined
  if (conversion !== undefined) tokens.expect('(')
  const terms: Term[] = []
  let token = conversion === undefined ? first : tokens.next()
  for (;;) {
    terms.push(termFrom(token, tokens))
    const after = tokens.next()
    if (after === '??') {
      token = tokens.next()
      continue
    }
    tokens.mustBe(after, conversion === undefined ? '}}' : ')')
    if (conversion !== undefined) tokens.expect('}}')
    return { expression: { terms, as: conversion ?? 'text' }, end: tokens.end }
  }
}

/** Evaluates an expression for a cluster. Throws a `ValueError` if there is no value, or none of that type. */
export function evaluate({ terms, as }: Expression, values: ClusterValues): string | number | boolean {
  for (const term of terms) {
    const value = lookUp(term, values)
    if (value !== undefined) return converted(value, as, term)
  }
  throw new ValueError(`the cluster has no ${terms.map(described).join(' and no ')}`)
}

class Tokens {
  readonly #text: string
  readonly #start: number
  end: number

  constructor(text: string, start: number) {
    this.#text = text
    this.#start = start
    this.end = start
  }

  next(): string {
    TOKEN.lastIndex = this.end
    const token = TOKEN.exec(this.#text)?.[1]
    if (token === undefined) throw this.#problem()
    this.end = token === '}}' ? this.#text.indexOf('}}', this.end) + 2 : TOKEN.lastIndex
    return token
  }

  expect(wanted: string): void {
    this.mustBe(this.next(), wanted)
  }

  mustBe(token: string, wanted: string): void {
    if (token !== wanted) throw this.#problem(wanted)
  }

  /** The content of a quoted token. */
  quoted(token = this.next()): string {
    if (!token.startsWith("'") && !token.startsWith('"')) throw this.#problem("'…'")
    return token.slice(1, -1)
  }

  #problem(wanted?: string): TemplateError {
    const excerpt = JSON.stringify(`{{${this.#text.slice(this.#start, this.#start + 60)}`)
    const expected = wanted === undefined ? '' : `, ${wanted} is expected at character ${this.end - this.#start + 2}`
    return new TemplateError(`${excerpt} is no expression${expected}; to have braces as they are, write {{'{{'}}`)
  }
}

function termFrom(token: string, tokens: Tokens): Term {
  switch (token) {
    case 'cluster.name':
      return { from: 'name' }
    case 'cluster.labels':
    case 'cluster.claims': {
      tokens.expect('[')
      const key = tokens.quoted()
      tokens.expect(']')
      return { from: token === 'cluster.labels' ? 'labels' : 'claims', key }
    }
    default:
      return { from: 'text', text: tokens.quoted(token) }
  }
}

function lookUp(term: Term, values: ClusterValues): string | undefined {
  switch (term.from) {
    case 'name':
      return values.name
    case 'text':
      return term.text
    default:
      return values[term.from].get(term.key)
  }
}

function described(term: Term): string {
  if (term.from === 'labels') return `label ${JSON.stringify(term.key)}`
  if (term.from === 'claims') return `claim ${JSON.stringify(term.key)}`
  return term.from === 'text' ? JSON.stringify(term.text) : term.from
}

const NUMBER = /^-?[0-9]{1,15}(\.[0-9]{1,15})?$/

/** The error does not show the value: who reads the status of a replica set may not be allowed to read its clusters. */
function converted(value: string, as: Expression['as'], term: Term): string | number | boolean {
  if (as === 'text') return value
  if (as === 'number' && NUMBER.test(value)) return Number(value)
  if (as === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  throw new ValueError(`the value of ${described(term)} is no ${as}`)
}
