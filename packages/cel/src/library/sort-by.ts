import type { Expr } from '../ast.js'
import { bind, MacroError, type MacroTable, standardMacros } from '../macro.js'

const INPUT = '@sortByInput'

/** `list.sortBy(x, key)`: the list bound to a name, sorted by the keys that `map` returns. */
export const sortByMacros: MacroTable = new Map([
  [
    '.sortBy/2',
    (build, args, target, at): Expr => {
      if (target.type === 'literal' || target.type === 'map' || target.type === 'struct') {
        const kinds = 'a list, identifier, comprehension, call or select expression'
        throw new MacroError(target.at, `sortBy can only be applied to ${kinds}`)
      }
      const map = standardMacros.get('.map/2')
      const keys = map?.(build, args, build.ident(INPUT, at), at) as Expr
      const sorted: Expr = {
        type: 'call',
        name: '@sortByAssociatedKeys',
        target: build.ident(INPUT, at),
        args: [keys],
        id: build.id(),
        at,
      }
      return bind(build, INPUT, target, sorted, at)
    },
  ],
])
