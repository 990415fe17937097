import type { JsonObject, JsonValue } from '@orrery/kinds'
import { getOwn, isObject, TemplateError, ValueError } from '@orrery/kinds/values'

type Value = JsonValue | undefined

/** Evaluates an expression. Undefined leaves out the field that it is the value of. */
export interface Expression {
  evaluate(scope: JsonObject): Value
}

const TOKEN =
  /\s*(\||\.[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*|-?[0-9]+|[A-Za-z][A-Za-z0-9]*|"(?:[^"\\]|\\.)*"|`[^`]*`|$)/y

const HELP =
  'there are values such as .ClusterName and .Values.name, texts in quotes, and | with default, required, optional, quote, ' +
  'b64enc, toYaml and nindent. For conditions and loops, write a function in TypeScript'

/** Each function gets its arguments, the piped value last, as in Go templates. */
const FUNCTIONS: Readonly<Record<string, { readonly arity: number; call(...args: readonly Value[]): Value }>> = {
  default: { arity: 2, call: (byDefault, value) => (isEmpty(value) ? byDefault : value) },
  required: { arity: 2, call: required },
  optional: { arity: 1, call: (value) => (isAbsent(value) ? null : value) },
  quote: { arity: 1, call: (value) => textOf(value) },
  b64enc: { arity: 1, call: (value) => Buffer.from(textOf(value)).toString('base64') },
  base64: { arity: 1, call: (value) => Buffer.from(textOf(value)).toString('base64') },
  // Values keep their structure, so there is nothing to write as text or to indent.
  toYaml: { arity: 1, call: (value) => value },
  nindent: { arity: 2, call: (_, value) => value },
  indent: { arity: 2, call: (_, value) => value },
}

/**
 * Parses the content of braces, a small part of Go's templates:
 *
 *     pipeline = command { "|" command }
 *     command  = operand | function { operand }
 *     operand  = .path | "text" | `text` | integer | true | false
 */
export function parseExpression(content: string): Expression {
  const [first, ...rest] = commandsOf(content).map((tokens, index) => commandOf(tokens, index > 0, content))
  if (first === undefined) throw problem(content)
  return {
    evaluate: (scope) => {
      const value = rest.reduce<Value>((piped, command) => command(scope, piped), first(scope, undefined))
      if (value === undefined)
        throw new ValueError(`there is no value for {{${content}}}: set it, or add | default "…" or | optional`)
      return value === null ? undefined : value
    },
  }
}

type Command = (scope: JsonObject, piped: Value) => Value

function commandOf([head, ...tail]: readonly string[], isPiped: boolean, content: string): Command {
  if (head === undefined) throw problem(content)
  const called = Object.hasOwn(FUNCTIONS, head) ? FUNCTIONS[head] : undefined
  if (called === undefined) {
    if (isPiped || tail.length > 0) throw problem(content)
    return operandOf(head, content)
  }
  const operands = tail.map((token) => operandOf(token, content))
  if (operands.length + Number(isPiped) !== called.arity) throw problem(content)
  return (scope, piped) => {
    const args = operands.map((operand) => operand(scope, undefined))
    return called.call(...args, ...(isPiped ? [piped] : []))
  }
}

function operandOf(token: string, content: string): Command {
  if (token.startsWith('.')) {
    const path = token.slice(1).split('.')
    return (scope) => path.reduce<Value>((value, key) => (isObject(value) ? getOwn(value, key) : undefined), scope)
  }
  if (token.startsWith('`')) return constant(token.slice(1, -1))
  if (token.startsWith('"')) return constant(unquoted(token, content))
  if (token === 'true' || token === 'false') return constant(token === 'true')
  if (/^-?[0-9]/.test(token)) return constant(Number(token))
  throw problem(content)
}

function constant(value: JsonValue): Command {
  return () => value
}

function unquoted(token: string, content: string): string {
  try {
    return JSON.parse(token)
  } catch {
    throw problem(content)
  }
}

/** The tokens of each command. */
function commandsOf(content: string): string[][] {
  const commands: string[][] = [[]]
  for (TOKEN.lastIndex = 0; ; ) {
    const token = TOKEN.exec(content)?.[1]
    if (token === undefined) throw problem(content)
    if (token === '') return commands
    if (token === '|') commands.push([])
    else commands.at(-1)?.push(token)
  }
}

function required(message: Value, value: Value): Value {
  if (isAbsent(value)) throw new ValueError(textOf(message))
  return value
}

/** As Helm's `empty`: also 0 and false. */
function isEmpty(value: Value): boolean {
  return isAbsent(value) || value === 0 || value === false
}

function isAbsent(value: Value): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The text of a simple value. */
export function textOf(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new ValueError('a list, an object or no value cannot be a part of a text')
}

function problem(content: string): TemplateError {
  return new TemplateError(`{{${content.slice(0, 80)}}} is not supported: ${HELP}`)
}
