import { TemplateError } from '@orrery/kinds/values'
import { type Token, tokenize } from './tokens.js'

/** A value in a pipeline. */
export type Operand =
  | { readonly type: 'literal'; readonly value: unknown }
  /** `.a.b`, `$.a` or `$name.a`. */
  | { readonly type: 'field'; readonly variable: string; readonly path: readonly string[] }
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'pipeline'; readonly pipeline: Pipeline; readonly path: readonly string[] }

export interface Pipeline {
  /** The variable that gets the value: `$name := …`. */
  readonly assigns: string | undefined
  readonly commands: readonly (readonly Operand[])[]
}

export type TemplateNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'action'; readonly pipeline: Pipeline }
  | {
      readonly type: 'if' | 'with' | 'range'
      readonly pipeline: Pipeline
      readonly body: readonly TemplateNode[]
      readonly otherwise: readonly TemplateNode[]
    }

/** The variable of the current data, which `.` refers to. */
export const DOT = '.'

/** Parses the part of Go's template language that manifests and requests use. */
export function parseTemplate(source: string): TemplateNode[] {
  const parser = new Parser(tokenize(source))
  const { nodes, end } = parser.nodes()
  if (end !== undefined) throw new TemplateError(`unexpected {{${end}}}`)
  return nodes
}

class Parser {
  readonly #pieces: ReturnType<typeof tokenize>
  #at = 0

  constructor(pieces: ReturnType<typeof tokenize>) {
    this.#pieces = pieces
  }

  /** The nodes up to the end of the template, or up to `end` or `else`, whose tokens are returned. */
  nodes(): { nodes: TemplateNode[]; end?: 'end' | 'else'; rest?: readonly Token[] } {
    const nodes: TemplateNode[] = []
    for (let piece = this.#pieces[this.#at++]; piece !== undefined; piece = this.#pieces[this.#at++]) {
      if (typeof piece === 'string') {
        nodes.push({ type: 'text', text: piece })
        continue
      }
      const [first, ...rest] = piece
      if (first === undefined) continue
      if (first.type !== 'word') nodes.push({ type: 'action', pipeline: pipelineOf(piece) })
      else if (first.text === 'end' || first.text === 'else') return { nodes, end: first.text, rest }
      else if (first.text === 'if' || first.text === 'with' || first.text === 'range') {
        nodes.push(this.#block(first.text, rest))
      } else nodes.push({ type: 'action', pipeline: pipelineOf(piece) })
    }
    return { nodes }
  }

  #block(type: 'if' | 'with' | 'range', condition: readonly Token[]): TemplateNode {
    const pipeline = pipelineOf(condition)
    const { nodes: body, end, rest = [] } = this.nodes()
    if (end === undefined) throw new TemplateError(`{{${type}}} has no {{end}}`)
    if (end === 'end') return { type, pipeline, body, otherwise: [] }
    // `{{else if …}}` is an if in the other branch, which shares its end.
    const [next, ...inner] = rest
    if (next?.type === 'word' && next.text === 'if') {
      return { type, pipeline, body, otherwise: [this.#block('if', inner)] }
    }
    const other = this.nodes()
    if (other.end !== 'end') throw new TemplateError(`{{${type}}} has no {{end}}`)
    return { type, pipeline, body, otherwise: other.nodes }
  }
}

function pipelineOf(tokens: readonly Token[]): Pipeline {
  const [first, second, ...rest] = tokens
  if (first?.type === 'variable' && first.path.length === 0 && second?.type === 'symbol' && second.text === ':=') {
    return { assigns: first.name, commands: commandsOf(rest) }
  }
  return { assigns: undefined, commands: commandsOf(tokens) }
}

function commandsOf(tokens: readonly Token[]): Operand[][] {
  const commands: Operand[][] = [[]]
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.type === 'symbol' && token.text === '|') {
      commands.push([])
      continue
    }
    if (token.type === 'symbol' && token.text === '(') {
      const end = closing(tokens, at)
      const { path = [] } = tokens[end] as { path?: readonly string[] }
      commands.at(-1)?.push({ type: 'pipeline', pipeline: pipelineOf(tokens.slice(at + 1, end)), path })
      at = end
      continue
    }
    commands.at(-1)?.push(operandOf(token))
  }
  if (commands.some((command) => command.length === 0)) throw new TemplateError('missing value for command')
  return commands
}

function closing(tokens: readonly Token[], start: number): number {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at] as Token
    if (token.type !== 'symbol') continue
    if (token.text === '(') depth++
    if (token.text === ')' && --depth === 0) return at
  }
  throw new TemplateError('unclosed left parenthesis')
}

function operandOf(token: Token): Operand {
  switch (token.type) {
    case 'literal':
      return token
    case 'variable':
      return { type: 'field', variable: token.name, path: token.path }
    case 'word':
      return { type: 'function', name: token.text }
    case 'symbol':
      throw new TemplateError(`unexpected ${JSON.stringify(token.text)}`)
  }
}
