/** One token of a jq expression. */
export interface Token {
  readonly type: 'field' | 'string' | 'number' | 'word' | 'symbol' | 'end'
  readonly text: string
  /** Where it begins, from 0. */
  readonly at: number
}

/** The expression is not valid or not supported. */
export class JqSyntaxError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'JqSyntaxError'
  }
}

/** `.foo` is one token, to distinguish `.a.b` from `.a . b` as jq does. */
const TOKEN =
  /\s+|(?<field>\.[A-Za-z_]\w*)|(?<string>"(?:[^"\\]|\\.)*")|(?<number>-?\d+(?:\.\d+)?)|(?<word>[A-Za-z_]\w*)|(?<symbol>\.\.|==|!=|<=|>=|[.|,?()[\]<>])/y

/** The tokens of an expression, with an end token. */
export function jqTokens(expression: string): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < expression.length; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(expression)
    if (match === null) throw new JqSyntaxError(`unexpected ${JSON.stringify(expression[at])} at position ${at + 1}`)
    const [type, text] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? []
    if (type === 'string') tokens.push({ type, text: unquoted(text as string, at), at })
    else if (type === 'field') tokens.push({ type, text: (text as string).slice(1), at })
    else if (text !== undefined) tokens.push({ type: type as Token['type'], text, at })
  }
  tokens.push({ type: 'end', text: '', at: expression.length })
  return tokens
}

function unquoted(text: string, at: number): string {
  if (text.includes('\\(')) throw new JqSyntaxError(`string interpolation at position ${at + 1} is not supported`)
  try {
    return JSON.parse(text) as string
  } catch {
    throw new JqSyntaxError(`the string at position ${at + 1} is not valid`)
  }
}
