import type { IssueList, Offset } from './issue.js'

export type TokenType = 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'ident' | 'quotedIdent' | 'symbol' | 'end'

export interface Token {
  readonly type: TokenType
  readonly text: string
  readonly at: Offset
}

const whitespace = /(?:[\t \r\n\f]+|\/\/[^\n]*)+/y
const number =
  /0x[0-9a-fA-F]+[uU]?|(?:[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)|[0-9]+[uU]?/y
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y
const quotedIdentifier = /`[A-Za-z0-9_./ -]+`/y
const symbol = /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y
/** The start of a string up to the end of the line or an invalid escape. */
const openText = /(?:\\[abfnrtv"'\\?`xXuU0-3]|[^\\\n\r])*(?:\\.?)?/y
const textPrefix = /(?:[bB][rR]?|[rR])?(?:"""|'''|"|')/y

/** Splits an expression into tokens; the last is always `end`. */
export function tokenize(source: string, issues: IssueList): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    at += match(whitespace, source, at).length
    if (at >= source.length) break
    const token = readText(source, at) ?? readToken(source, at)
    if (token === undefined) {
      const skipped = unreadable(source, at)
      issues.report(at, `Syntax error: token recognition error at: '${skipped}'`)
      at += skipped.length
      continue
    }
    tokens.push(token)
    at += token.text.length
  }
  tokens.push({ type: 'end', text: '<EOF>', at: source.length })
  return tokens
}

/** What to skip if no token begins: an unterminated string, or a single character. */
function unreadable(source: string, at: Offset): string {
  const prefix = match(textPrefix, source, at)
  if (prefix !== '') return source.slice(at, at + prefix.length) + match(openText, source, at + prefix.length)
  const character = String.fromCodePoint(source.codePointAt(at) ?? 0)
  // cel-go's lexer has read one character more to check for a double sign.
  return /[=&|]/.test(character) ? source.slice(at, at + 2) : character
}

function readToken(source: string, at: Offset): Token | undefined {
  const digits = match(number, source, at)
  if (digits !== '') return { type: numberType(digits), text: digits, at }
  const name = match(identifier, source, at)
  if (name !== '') return { type: 'ident', text: name, at }
  const quoted = match(quotedIdentifier, source, at)
  if (quoted !== '') return { type: 'quotedIdent', text: quoted, at }
  const sign = match(symbol, source, at)
  return sign === '' ? undefined : { type: 'symbol', text: sign, at }
}

function numberType(digits: string): TokenType {
  if (/[uU]$/.test(digits)) return 'uint'
  return digits.startsWith('0x') || /^[0-9]+$/.test(digits) ? 'int' : 'double'
}

/** Strings and bytes. The content is checked when it is unescaped; this only finds the end. */
function readText(source: string, at: Offset): Token | undefined {
  const prefix = match(textPrefix, source, at)
  if (prefix === '') return undefined
  const quote = prefix.replace(/^[bBrR]+/, '')
  const raw = /[rR]/.test(prefix)
  const end = textEnd(source, at + prefix.length, quote, raw)
  if (end === undefined) return undefined
  return { type: /^[bB]/.test(prefix) ? 'bytes' : 'string', text: source.slice(at, end), at }
}

function textEnd(source: string, from: Offset, quote: string, raw: boolean): Offset | undefined {
  for (let at = from; at < source.length; at++) {
    if (source.startsWith(quote, at)) return at + quote.length
    if (!raw && source[at] === '\\') {
      if (!isEscape(source, at)) return undefined
      at++
    } else if (quote.length === 1 && (source[at] === '\n' || source[at] === '\r')) return undefined
  }
  return undefined
}

const escapeStart = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y

function isEscape(source: string, at: Offset): boolean {
  return match(escapeStart, source, at) !== ''
}

function match(pattern: RegExp, source: string, at: Offset): string {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? ''
}
