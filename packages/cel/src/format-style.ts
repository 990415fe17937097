import type { CelValue } from './values/value.js'

/** A clause of a format string: `%s`, `%.2f`. */
export interface Clause {
  readonly letter: string
  readonly precision: number
}

/** How clauses format values, where styles differ. */
export interface FormatStyle {
  /** The types that number clauses accept, as far as they are known: `dyn` may be any. */
  readonly kinds: Readonly<Record<'d' | 'f' | 'e', ReadonlySet<string>>>
  /** The error message for another type, by clause letter. */
  readonly problems: Readonly<Record<'d' | 'f' | 'e' | 'b' | 'o' | 'x', string>>
  /** `%s`. */
  text(value: CelValue): string
  /** `%d`. Undefined for a value that it does not support, as below. */
  whole(value: CelValue): string | undefined
  /** `%f` and `%e`. */
  real(clause: Clause, value: CelValue): string | undefined
}
