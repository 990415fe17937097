import { SearchError } from './search-error.js'

/**
 * Maestro has two grammars. They differ in what escapes a quote: `''` in a tree search, `\'` or `''` in a search of
 * JSON documents.
 */
export type Dialect = 'tree' | 'json'

export type TokenKind = 'word' | 'identifier' | 'string' | 'number' | 'symbol' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** Words and symbols as they are compared: lower case. Identifiers and strings without their quotes. */
  readonly text: string
  /** The token as it was written. */
  readonly written: string
  /** The position in the search, from 1. */
  readonly at: number
}

const SPACE = /[ \t\r\n\v]+/y
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+|[KMGTP]i?)?(?![\w.])/iy
const QUOTED_IDENTIFIER = /"((?:[^"]|"")*)"|`((?:[^`]|``)*)`|\[([^\]]*)\]/y
const SYMBOL = /->>|->|@>|<>|<=|>=|!=|~=|~!|[=<>(),+\-*/%]/y
/** In a search of JSON documents, a value may be a word without quotes. */
const WORDS: Readonly<Record<Dialect, RegExp>> = { tree: /[a-z_][\w.]*/iy, json: /[a-z_](?:[\w./]|-(?=\w))*/iy }
const STRINGS: Readonly<Record<Dialect, RegExp>> = {
  tree: /'((?:[^']|'')*)'/y,
  json: /'((?:[^'\\]|\\'|\\|'')*)'/y,
}

/** Splits a search into tokens. The last one is of kind `end`. */
export function tokensOf(search: string, dialect: Dialect): Token[] {
  const tokens: Token[] = []
  let position = 0
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = position
    return pattern.exec(search)
  }
  const add = (kind: TokenKind, text: string, written: string) => {
    tokens.push({ kind, text, written, at: position + 1 })
    position += written.length
  }
  while (position < search.length) {
    const space = match(SPACE)
    if (space !== null) {
      position += space[0].length
      continue
    }
    const string = match(STRINGS[dialect])
    const identifier = match(QUOTED_IDENTIFIER)
    const number = match(NUMBER)
    const word = match(WORDS[dialect])
    const symbol = match(SYMBOL)
    if (string !== null) add('string', unescaped(string[1] as string, dialect), string[0])
    else if (identifier !== null) add('identifier', identifierText(identifier), identifier[0])
    else if (number !== null) add('number', number[0], number[0])
    else if (word !== null) add('word', word[0].toLowerCase(), word[0])
    else if (symbol !== null) add('symbol', symbol[0], symbol[0])
    else throw new SearchError(position + 1, `unexpected ${JSON.stringify(search.slice(position, position + 10))}`)
  }
  add('end', '', '')
  return tokens
}

function unescaped(text: string, dialect: Dialect): string {
  return dialect === 'tree' ? text.replaceAll("''", "'") : text.replace(/\\'|''/g, "'")
}

function identifierText([, double, back, bracket]: RegExpExecArray): string {
  return (double?.replaceAll('""', '"') ?? back?.replaceAll('``', '`') ?? bracket ?? '').toLowerCase()
}
