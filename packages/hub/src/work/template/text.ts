import { TemplateError } from './errors.js'
import { type Expression, evaluate, parseExpression } from './expression.js'
import type { ClusterValues } from './values.js'

type Rendered = string | number | boolean

/** Compiles a text with expressions. Undefined if there are none. */
export function compileText(text: string): ((values: ClusterValues) => Rendered) | undefined {
  let from = 0
  let at = text.indexOf('{{')
  if (at < 0) return undefined
  const parts: (string | Expression)[] = []
  while (at >= 0) {
    if (at > from) parts.push(text.slice(from, at))
    const { expression, end } = parseExpression(text, at + 2)
    parts.push(expression)
    from = end
    at = text.indexOf('{{', end)
  }
  if (from < text.length) parts.push(text.slice(from))
  return rendererOf(parts)
}

function rendererOf(parts: readonly (string | Expression)[]): (values: ClusterValues) => Rendered {
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return (values) => evaluate(only, values)
  const isTyped = parts.some((part) => typeof part === 'object' && part.as !== 'text')
  if (isTyped) throw new TemplateError('number() and boolean() make a value, so there can be no text around them')
  return (values) => parts.map((part) => (typeof part === 'string' ? part : evaluate(part, values))).join('')
}
