import { Automaton } from './regex/automaton.js'

export { PatternError } from './regex/syntax.js'

/** A compiled `pattern` of a schema. */
export interface Pattern {
  readonly source: string
  /** Whether a text has a match, anywhere unless the pattern is anchored. Linear in the text. */
  test(text: string): boolean
}

/** Compiles RE2 syntax. Throws `PatternError`. */
export function compilePattern(source: string): Pattern {
  const automaton = new Automaton(source)
  return { source, test: (text) => automaton.matches(text) }
}
