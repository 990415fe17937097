import {
  ACCUMULATOR,
  type CallExpr,
  type Expr,
  type FoldExpr,
  type IdentExpr,
  type ListExpr,
  type LiteralExpr,
} from './ast.js'
import type { Offset } from './issue.js'
import type { CelValue } from './values/value.js'

/** How macros build their expansion. */
export interface MacroContext {
  id(): number
  literal(value: CelValue, at: Offset): LiteralExpr
  ident(name: string, at: Offset): IdentExpr
  call(name: string, args: readonly Expr[], at: Offset): CallExpr
  list(items: readonly Expr[], at: Offset): ListExpr
}

/** The macro's arguments are not valid. */
export class MacroError extends Error {
  readonly at: Offset

  constructor(at: Offset, message: string) {
    super(message)
    this.at = at
  }
}

type Expand = (build: MacroContext, args: readonly Expr[], target: Expr, at: Offset) => Expr

/** Macros by `name/argument count`, and `.name/count` for those called on a target. The count is `*` for any. */
export type MacroTable = ReadonlyMap<string, Expand>

/** The expansion of a call; undefined if it is not a macro. */
export function expandMacro(
  macros: MacroTable,
  build: MacroContext,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
  at: Offset,
): Expr | undefined {
  const prefix = `${target === undefined ? '' : '.'}${name}/`
  const expand = macros.get(`${prefix}${args.length}`) ?? macros.get(`${prefix}*`)
  // A global macro has no target: the first argument takes its place, and is not used twice.
  return expand?.(build, args, target ?? (args[0] as Expr), at)
}

/** The message of `map` and `filter`. */
const NOT_IDENTIFIER = 'argument is not an identifier'

/** `has`, `all`, `exists`, `exists_one`, `map` and `filter`. */
export const standardMacros: MacroTable = new Map<string, Expand>([
  ['has/1', expandHas],
  ['.all/2', (build, args, range, at) => all(build, range, oneVariable(args), args[1] as Expr, at)],
  ['.exists/2', (build, args, range, at) => exists(build, range, oneVariable(args), args[1] as Expr, at)],
  ['.exists_one/2', (build, args, range, at) => existsOne(build, range, oneVariable(args), args[1] as Expr, at)],
  [
    '.map/2',
    (build, args, range, at) =>
      collect(build, range, oneVariable(args, NOT_IDENTIFIER), undefined, args[1] as Expr, at),
  ],
  [
    '.map/3',
    (build, args, range, at) => collect(build, range, oneVariable(args, NOT_IDENTIFIER), args[1], args[2] as Expr, at),
  ],
  [
    '.filter/2',
    (build, args, range, at) => {
      const variables = oneVariable(args, NOT_IDENTIFIER)
      return collect(build, range, variables, args[1], build.ident(variables[0], at), at)
    },
  ],
])

/** Comprehensions over index or key and value. */
export const twoVariableMacros: MacroTable = new Map<string, Expand>([
  ['.all/3', (build, args, range, at) => all(build, range, twoVariables(args), args[2] as Expr, at)],
  ['.exists/3', (build, args, range, at) => exists(build, range, twoVariables(args), args[2] as Expr, at)],
  ['.exists_one/3', (build, args, range, at) => existsOne(build, range, twoVariables(args), args[2] as Expr, at)],
  ['.existsOne/3', (build, args, range, at) => existsOne(build, range, twoVariables(args), args[2] as Expr, at)],
  ...withOptionalFilter('.transformList', (build, range, variables, filter, transform, at) =>
    collect(build, range, variables, filter, transform, at),
  ),
  ...withOptionalFilter('.transformMap', (build, range, variables, filter, transform, at) =>
    insertAll(build, range, variables, filter, [build.ident(variables[0], at), transform], at),
  ),
  ...withOptionalFilter('.transformMapEntry', (build, range, variables, filter, transform, at) =>
    insertAll(build, range, variables, filter, [transform], at),
  ),
])

/** `optMap` and `optFlatMap`. */
export const optionalMacros: MacroTable = new Map<string, Expand>([
  [
    '.optMap/2',
    (build, args, target, at) => {
      const inside = (value: Expr) => build.call('optional.of', [value], at)
      return whenPresent(build, target, args, inside, at)
    },
  ],
  ['.optFlatMap/2', (build, args, target, at) => whenPresent(build, target, args, (value) => value, at)],
])

/** `cel.bind(name, value, expression)`. */
export const bindMacros: MacroTable = new Map<string, Expand>([
  [
    '.bind/3',
    (build, args, target, at) => {
      if (target.type !== 'ident' || target.name !== 'cel') {
        return { type: 'call', name: 'bind', target, args, id: build.id(), at }
      }
      return bind(build, simpleName(args[0] as Expr), args[1] as Expr, args[2] as Expr, at)
    },
  ],
])

/** `math.least` and `math.greatest` of three or more numbers, or of mixed types, use a list. */
export const mathMacros: MacroTable = new Map<string, Expand>(
  ['least', 'greatest'].map((name) => [
    `.${name}/*`,
    (build, args, target, at) => {
      if (target.type !== 'ident' || target.name !== 'math' || args.length < 3) {
        return { type: 'call', name, target, args, id: build.id(), at }
      }
      return build.call(`math.${name}`, [build.list(args, at)], at)
    },
  ]),
)

/** One variable, or two. */
type Variables = readonly [string, string?]

function expandHas(build: MacroContext, args: readonly Expr[], _target: Expr, at: Offset): Expr {
  const [tested] = args
  if (tested?.type !== 'select' || tested.test) {
    throw new MacroError(tested?.at ?? at, 'invalid argument to has() macro')
  }
  return { ...tested, test: true, id: build.id(), at }
}

function all(build: MacroContext, range: Expr, variables: Variables, predicate: Expr, at: Offset): FoldExpr {
  const accumulator = () => build.ident(ACCUMULATOR, at)
  return fold(build, range, variables, at, {
    initial: build.literal(true, at),
    condition: build.call('@not_strictly_false', [accumulator()], at),
    step: build.call('_&&_', [accumulator(), predicate], at),
    result: accumulator(),
  })
}

function exists(build: MacroContext, range: Expr, variables: Variables, predicate: Expr, at: Offset): FoldExpr {
  const accumulator = () => build.ident(ACCUMULATOR, at)
  return fold(build, range, variables, at, {
    initial: build.literal(false, at),
    condition: build.call('@not_strictly_false', [build.call('!_', [accumulator()], at)], at),
    step: build.call('_||_', [accumulator(), predicate], at),
    result: accumulator(),
  })
}

function existsOne(build: MacroContext, range: Expr, variables: Variables, predicate: Expr, at: Offset): FoldExpr {
  const accumulator = () => build.ident(ACCUMULATOR, at)
  const increment = build.call('_+_', [accumulator(), build.literal(1, at)], at)
  return fold(build, range, variables, at, {
    initial: build.literal(0, at),
    condition: build.literal(true, at),
    step: build.call('_?_:_', [predicate, increment, accumulator()], at),
    result: build.call('_==_', [accumulator(), build.literal(1, at)], at),
  })
}

function collect(
  build: MacroContext,
  range: Expr,
  variables: Variables,
  filter: Expr | undefined,
  transform: Expr,
  at: Offset,
): FoldExpr {
  const accumulator = () => build.ident(ACCUMULATOR, at)
  const single: Expr = { type: 'list', items: [transform], optional: new Set(), id: build.id(), at }
  const append = build.call('_+_', [accumulator(), single], at)
  return fold(build, range, variables, at, {
    initial: { type: 'list', items: [], optional: new Set(), id: build.id(), at },
    condition: build.literal(true, at),
    step: filter === undefined ? append : build.call('_?_:_', [filter, append, accumulator()], at),
    result: accumulator(),
  })
}

function insertAll(
  build: MacroContext,
  range: Expr,
  variables: Variables,
  filter: Expr | undefined,
  entry: readonly Expr[],
  at: Offset,
): FoldExpr {
  const accumulator = () => build.ident(ACCUMULATOR, at)
  const insert = build.call('cel.@mapInsert', [accumulator(), ...entry], at)
  return fold(build, range, variables, at, {
    initial: { type: 'map', entries: [], id: build.id(), at },
    condition: build.literal(true, at),
    step: filter === undefined ? insert : build.call('_?_:_', [filter, insert, accumulator()], at),
    result: accumulator(),
  })
}

/** `target.hasValue() ? inside(expression with the name bound to the value) : optional.none()`. */
function whenPresent(
  build: MacroContext,
  target: Expr,
  args: readonly Expr[],
  inside: (value: Expr) => Expr,
  at: Offset,
): Expr {
  const member = (name: string): Expr => ({ type: 'call', name, target, args: [], id: build.id(), at })
  const name = simpleName(args[0] as Expr)
  const bound = bind(build, name, member('value'), args[1] as Expr, at)
  return build.call('_?_:_', [member('hasValue'), inside(bound), build.call('optional.none', [], at)], at)
}

/** A fold over nothing, whose accumulator is the name: the value is computed when the name is first used. */
export function bind(build: MacroContext, name: string, value: Expr, expression: Expr, at: Offset): FoldExpr {
  return {
    type: 'fold',
    range: { type: 'list', items: [], optional: new Set(), id: build.id(), at },
    variable: '#unused',
    variable2: undefined,
    accumulator: name,
    initial: value,
    condition: build.literal(false, at),
    step: build.ident(name, at),
    result: expression,
    id: build.id(),
    at,
  }
}

function fold(
  build: MacroContext,
  range: Expr,
  [variable, variable2]: Variables,
  at: Offset,
  parts: Pick<FoldExpr, 'initial' | 'condition' | 'step' | 'result'>,
): FoldExpr {
  return { type: 'fold', range, variable, variable2, accumulator: ACCUMULATOR, ...parts, id: build.id(), at }
}

function withOptionalFilter(
  name: string,
  expand: (
    build: MacroContext,
    range: Expr,
    variables: Variables,
    filter: Expr | undefined,
    transform: Expr,
    at: Offset,
  ) => Expr,
): [string, Expand][] {
  return [
    [`${name}/3`, (build, args, range, at) => expand(build, range, twoVariables(args), undefined, args[2] as Expr, at)],
    [`${name}/4`, (build, args, range, at) => expand(build, range, twoVariables(args), args[2], args[3] as Expr, at)],
  ]
}

function oneVariable(args: readonly Expr[], problem?: string): Variables {
  return [simpleName(args[0] as Expr, problem)]
}

function twoVariables(args: readonly Expr[]): Variables {
  const first = simpleName(args[0] as Expr)
  const second = simpleName(args[1] as Expr)
  if (first === second) throw new MacroError((args[1] as Expr).at, `duplicate variable name: ${first}`)
  return [first, second]
}

function simpleName(expr: Expr, problem = 'argument must be a simple name'): string {
  if (expr.type !== 'ident' || expr.name.startsWith('.')) throw new MacroError(expr.at, problem)
  return expr.name
}
