import { TemplateError } from '@orrery/kinds/values'

export type Token =
  | { readonly type: 'literal'; readonly value: unknown }
  /** `.` with a path, or `$name` with one. */
  | { readonly type: 'variable'; readonly name: string; readonly path: readonly string[] }
  | { readonly type: 'word'; readonly text: string }
  /** A closing parenthesis can have a path behind it. */
  | { readonly type: 'symbol'; readonly text: string; readonly path?: readonly string[] }

const ACTION = /\{\{(-(?=\s))?((?:"(?:[^"\\\n]|\\.)*"|`[^`]*`|\/\*[\s\S]*?\*\/|(?!\}\})[\s\S])*?)((?<=\s)-)?\}\}/g
const PIECES = [
  ['space', /\s+/y],
  ['comment', /\/\*[\s\S]*?\*\//y],
  ['string', /"(?:[^"\\\n]|\\.)*"/y],
  ['raw', /`[^`]*`/y],
  ['number', /[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|0[xX][\da-fA-F]+)(?![\w.])/y],
  ['variable', /\$\w*(?:\.[A-Za-z_]\w*)*|\.(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?/y],
  ['symbol', /\|\||:=|[|(]|\)(?:\.[A-Za-z_]\w*)*/y],
  ['word', /[A-Za-z_]\w*/y],
] as const

/** Texts, and between them the tokens of actions. Trim markers have been applied to the texts. */
export function tokenize(source: string): (string | readonly Token[])[] {
  const pieces: (string | readonly Token[])[] = []
  let at = 0
  let trimsNext = false
  const text = (end: number, trimsEnd: boolean) => {
    let piece = source.slice(at, end)
    if (piece.includes('{{'))
      throw new TemplateError(
        `unclosed action: ${JSON.stringify(piece.slice(piece.indexOf('{{'), piece.indexOf('{{') + 40))}`,
      )
    if (trimsNext) piece = piece.trimStart()
    if (trimsEnd) piece = piece.trimEnd()
    if (piece !== '') pieces.push(piece)
  }
  for (const found of source.matchAll(ACTION)) {
    text(found.index, found[1] !== undefined)
    pieces.push(tokensOf(found[2] ?? ''))
    at = found.index + found[0].length
    trimsNext = found[3] !== undefined
  }
  text(source.length, false)
  return pieces
}

function tokensOf(action: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < action.length; ) {
    const [type, found] = nextPiece(action, at)
    at += found.length
    const token = tokenOf(type, found)
    if (token !== undefined) tokens.push(token)
  }
  return tokens
}

function nextPiece(action: string, at: number): [(typeof PIECES)[number][0], string] {
  for (const [type, pattern] of PIECES) {
    pattern.lastIndex = at
    const found = pattern.exec(action)?.[0]
    if (found !== undefined && found !== '') return [type, found]
  }
  throw new TemplateError(`unexpected ${JSON.stringify(action.slice(at, at + 20))} in {{${action}}}`)
}

function tokenOf(type: (typeof PIECES)[number][0], text: string): Token | undefined {
  switch (type) {
    case 'space':
    case 'comment':
      return undefined
    case 'string':
      return { type: 'literal', value: unquoted(text) }
    case 'raw':
      return { type: 'literal', value: text.slice(1, -1) }
    case 'number':
      return { type: 'literal', value: Number(text) }
    case 'variable': {
      const [name = '', ...path] = text.split('.')
      return { type: 'variable', name: name === '' ? '.' : name, path: path.filter((part) => part !== '') }
    }
    case 'symbol': {
      const [symbol = '', ...path] = text.split('.')
      return { type: 'symbol', text: symbol, path }
    }
    case 'word':
      if (text === 'true' || text === 'false') return { type: 'literal', value: text === 'true' }
      return text === 'nil' ? { type: 'literal', value: null } : { type: 'word', text }
  }
}

/** The escapes of Go that JSON has as well. */
function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    throw new TemplateError(`invalid string ${text}`)
  }
}
