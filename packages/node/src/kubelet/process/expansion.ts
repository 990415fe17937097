import type { ByteBudget } from '../downward-api/byte-budget.js'

/**
 * Replaces `$(NAME)` by the value of a variable and `$$` by `$`, as in the pod spec. References to unknown variables
 * stay. Time grows linearly with the text and the result. Throws if the result exceeds the budget.
 */
export function expand(text: string, lookUp: (name: string) => string | undefined, budget: ByteBudget): string {
  budget.take(text.length)
  if (!text.includes('$')) return text
  const parts: string[] = []
  let from = 0
  let lastParenthesis: number | undefined
  for (let at = text.indexOf('$'); at >= 0; at = text.indexOf('$', from)) {
    parts.push(text.slice(from, at))
    const next = text[at + 1]
    from = at + 1
    if (next === '$') from = at + 2
    if (next !== '(') {
      parts.push('$')
      continue
    }
    lastParenthesis ??= text.lastIndexOf(')')
    // Without this check, each opening parenthesis would search the rest of the text.
    if (lastParenthesis < at) {
      parts.push('$')
      continue
    }
    from = text.indexOf(')', at) + 1
    const value = lookUp(text.slice(at + 2, from - 1))
    if (value !== undefined) budget.take(value.length)
    parts.push(value ?? text.slice(at, from))
  }
  parts.push(text.slice(from))
  return parts.join('')
}
