import { type CelLibrary, compile, dynType, type Program, toJson } from '@orrery/cel'
import { adapterLibraries } from './library.js'

/** The result of an evaluation. Data that an expression needs may not exist yet, so a failure is a result as well. */
export type Evaluated =
  | { readonly ok: true; readonly value: unknown; readonly matched: boolean }
  | { readonly ok: false; readonly message: string }

class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

/** Evaluates expressions of the Common Expression Language over variables that any of a list of names can have. */
export class Expressions {
  readonly #libraries: readonly CelLibrary[]
  readonly #variables: Readonly<Record<string, typeof dynType>>
  readonly #programs = new Map<string, Program>()

  constructor(names: Iterable<string>, now: () => Date) {
    this.#libraries = adapterLibraries(now)
    this.#variables = Object.fromEntries([...names].map((name) => [name, dynType]))
  }

  /** Throws `ExpressionError` if an expression is not valid or uses a name that does not exist. */
  check(source: string): void {
    this.#program(source)
  }

  evaluate(source: string, variables: Readonly<Record<string, unknown>>): Evaluated {
    const program = this.#program(source)
    const missing = [...program.uses].filter((name) => variables[name] === undefined)
    if (missing.length > 0) return { ok: false, message: `no value for ${missing.join(', ')}` }
    try {
      const value = toJson(program.evaluate(variables).value)
      return { ok: true, value, matched: isMatched(value) }
    } catch (error) {
      return { ok: false, message: (error as Error).message }
    }
  }

  #program(source: string): Program {
    const known = this.#programs.get(source)
    if (known !== undefined) return known
    const compilation = compile(source.trim(), {
      variables: this.#variables,
      libraries: this.#libraries,
      strict: false,
    })
    if (!compilation.ok) throw new ExpressionError(compilation.message)
    this.#programs.set(source, compilation.program)
    return compilation.program
  }
}

/** A result other than a boolean counts as true unless it is null or empty. */
function isMatched(value: unknown): boolean {
  if (typeof value === 'boolean') return value
  if (value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value as object).length > 0
}
