import type { FormatStyle } from './format-style.js'
import type { MacroTable } from './macro.js'
import type { Overload } from './overload.js'
import type { CelType } from './type.js'

/** A set of functions, types and macros. */
export interface CelLibrary {
  readonly name: string
  readonly overloads: readonly Overload[]
  /** Types that expressions can name, as in `type(x) == net.IP`. */
  readonly types?: readonly CelType[]
  readonly macros?: MacroTable
  /** The style of its `format` of strings. */
  readonly formatStyle?: FormatStyle
}

/** Everything that an expression can refer to. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>
  readonly functions: ReadonlyMap<string, readonly Overload[]>
  readonly types: ReadonlyMap<string, CelType>
  readonly macros: MacroTable
  readonly formatStyle: FormatStyle | undefined
}

type Declarations = Omit<Environment, 'variables'>

const cache = new WeakMap<readonly CelLibrary[], Declarations>()

/** Combines libraries and variables. The libraries' part is cached for the next expression with the same list. */
export function environment(
  libraries: readonly CelLibrary[],
  variables: Readonly<Record<string, CelType>>,
): Environment {
  let declarations = cache.get(libraries)
  if (declarations === undefined) {
    declarations = declare(libraries)
    cache.set(libraries, declarations)
  }
  return { ...declarations, variables: new Map(Object.entries(variables)) }
}

function declare(libraries: readonly CelLibrary[]): Declarations {
  const functions = new Map<string, Overload[]>()
  for (const overload of libraries.flatMap((library) => library.overloads)) {
    const known = functions.get(overload.function)
    if (known === undefined) functions.set(overload.function, [overload])
    else known.push(overload)
  }
  const types = new Map(libraries.flatMap((library) => library.types ?? []).map((type) => [type.name, type]))
  const macros = new Map(libraries.flatMap((library) => [...(library.macros ?? [])]))
  const formatStyle = libraries.find((library) => library.formatStyle !== undefined)?.formatStyle
  return { functions, types, macros, formatStyle }
}
