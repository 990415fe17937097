import { joinTexts, splitTemplate, TemplateError } from '@orrery/kinds/values'
import { evaluate, parseExpression } from './expression.js'
import type { ClusterValues } from './values.js'

type Rendered = string | number | boolean

/** Compiles a text with expressions. Undefined if there are none. */
export function compileText(text: string): ((values: ClusterValues) => Rendered) | undefined {
  const parts = splitTemplate(text, parseExpression)
  if (parts === undefined) return undefined
  const [only] = parts
  if (parts.length === 1 && typeof only === 'object') return (values) => evaluate(only, values)
  const isTyped = parts.some((part) => typeof part === 'object' && part.as !== 'text')
  if (isTyped) throw new TemplateError('number() and boolean() make a value, so there can be no text around them')
  return (values) => joinTexts(parts.map((part) => (typeof part === 'string' ? part : String(evaluate(part, values)))))
}
