import type { CharSet } from './charset.js'

/** A parsed regular expression, as far as matters for whether a text matches: groups and greed are gone. */
export type RegexNode =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'assert'; readonly what: Assertion }
  | { readonly kind: 'concat'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'either'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexNode; readonly min: number; readonly max: number }

export type Assertion = 'beginText' | 'endText' | 'beginLine' | 'endLine' | 'wordBoundary' | 'noWordBoundary'

/** The text is not a regular expression of RE2's syntax. */
export class PatternError extends Error {
  constructor(what: string, where: string) {
    super(`error parsing regexp: ${what}: \`${where}\``)
    this.name = 'PatternError'
  }
}
