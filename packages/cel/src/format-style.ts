import type { CelValue } from './values/value.js'

/** A clause of a format string: `%s`, `%.2f`. */
export interface Clause {
  readonly letter: string
  readonly precision: number
}

/** How the clauses of a format string write values, as far as not all write them alike. */
export interface FormatStyle {
  /** The kinds of value that clauses for numbers can show, as far as types tell: nothing is known of `dyn`. */
  readonly kinds: Readonly<Record<'d' | 'f' | 'e', ReadonlySet<string>>>
  /** What is wrong when a clause gets another, by its letter. */
  readonly problems: Readonly<Record<'d' | 'f' | 'e' | 'b' | 'o' | 'x', string>>
  /** `%s`. */
  text(value: CelValue): string
  /** `%d`. Undefined for a value that it cannot show, as below. */
  whole(value: CelValue): string | undefined
  /** `%f` and `%e`. */
  real(clause: Clause, value: CelValue): string | undefined
}
