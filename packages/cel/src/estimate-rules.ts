import type { Expr } from './ast.js'
import { CHECK_COST, LIST_COST, PATTERN_FACTOR, STRUCT_COST, TEXT_FACTOR } from './cost.js'
import type { CelType } from './type.js'

/** A range of sizes: characters, bytes, items, entries. */
export interface Size {
  readonly min: number
  readonly max: number
}

/** Stands for "no bound": large, but finite, so that zero times it is zero. */
export const UNBOUNDED = 2 ** 64
export const unknownSize: Size = { min: 0, max: UNBOUNDED }

/** The maximum cost of a call, without its arguments, and the size of its result. */
export interface Estimate {
  readonly cost: number
  readonly size?: Size
}

/** What the rules need to know about the arguments of a call. */
export interface CallSites {
  size(expr: Expr): Size
  /** The size of the items of a list. */
  itemSize(list: Expr): Size
  typeOf(expr: Expr): CelType
}

type Rule = (sites: CallSites, args: readonly Expr[], target: Expr | undefined) => Estimate | undefined

const fixed =
  (cost: number): Rule =>
  () => ({ cost })

const MAX_NAME_PATTERN = 128
/** IPv4 and IPv6 addresses. */
const ADDRESS_BYTES = 16

/** The string that a function traverses: its target. */
const traversesTarget =
  (factor: number, keepsSize: boolean): Rule =>
  (sites, _args, target) => {
    if (target === undefined) return undefined
    const size = sites.size(target)
    return keepsSize ? { cost: times(size.max, factor), size } : { cost: times(size.max, factor) }
  }

const traversesArgument =
  (factor: number, keepsSize = false): Rule =>
  (sites, [text]) => {
    if (text === undefined) return undefined
    const size = sites.size(text)
    return keepsSize ? { cost: times(size.max, factor), size } : { cost: times(size.max, factor) }
  }

const perItem: Rule = (sites, _args, target) => {
  if (target === undefined) return undefined
  const size = sites.size(target).max
  const [item] = sites.typeOf(target).params
  if (sites.typeOf(target).kind !== 'list' || item === undefined) return { cost: times(size, TEXT_FACTOR) }
  const isText = item.kind === 'string' || item.kind === 'bytes'
  const each = 1 + (isText ? times(sites.itemSize(target).max, TEXT_FACTOR) : 0)
  return { cost: product(size, each) }
}

const pattern: Rule = (sites, [regex], target) => {
  if (target === undefined || regex === undefined) return undefined
  const text = sites.size(target)
  const cost = product(times(text.max + 1, TEXT_FACTOR), times(sites.size(regex).max, PATTERN_FACTOR))
  return { cost, size: { min: 0, max: text.max } }
}

const selfComparison =
  (list: (args: readonly Expr[], target: Expr | undefined) => Expr | undefined): Rule =>
  (sites, args, target) => {
    const compared = list(args, target)
    if (compared === undefined) return undefined
    const item = sites.typeOf(compared).params[0]?.kind
    const factor = item === 'string' || item === 'bytes' ? 2 + TEXT_FACTOR : 2
    return newList(factor, squared(sites.size(compared)))
  }

const setProduct =
  (factor: number): Rule =>
  (sites, [a, b]) =>
    a === undefined || b === undefined
      ? undefined
      : { cost: times(product(sites.size(a).max, sites.size(b).max), factor) + 1 }

const selectorCost: Rule = (sites, [selector]) => {
  if (selector === undefined) return undefined
  const length = sites.size(selector).max
  return { cost: LIST_COST + times(length, TEXT_FACTOR) + times(times(length, 0.5), LIST_COST + STRUCT_COST) }
}

const address =
  (extra: number, parsedBy: string): Rule =>
  (sites, [other]) => {
    if (other === undefined) return undefined
    const parse = sites.typeOf(other).kind === parsedBy ? times(sites.size(other).max, TEXT_FACTOR) : 0
    return { cost: times(2 * ADDRESS_BYTES, TEXT_FACTOR) + extra + parse }
  }

const byFunction: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['check', fixed(CHECK_COST)],
  ['fieldSelector', selectorCost],
  ['labelSelector', selectorCost],
  ...all(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf', 'includes'], perItem),
  ['url', traversesArgument(TEXT_FACTOR, true)],
  ...all(['lowerAscii', 'upperAscii', 'substring', 'trim'], traversesTarget(TEXT_FACTOR, true)),
  ['replace', replaceRule],
  ['split', splitRule],
  ['join', joinRule],
  ['find', pattern],
  ['findAll', pattern],
  ...all(
    ['ip', 'cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'],
    traversesArgument(TEXT_FACTOR),
  ),
  ['ip.isCanonical', traversesArgument(2 * TEXT_FACTOR)],
  ['containsIP', address(0, 'string')],
  ['containsCIDR', address(times(ADDRESS_BYTES, TEXT_FACTOR) + 1, 'string')],
  [
    'validate',
    (sites, [text]) =>
      text === undefined
        ? undefined
        : { cost: times(times(sites.size(text).max, TEXT_FACTOR), MAX_NAME_PATTERN * PATTERN_FACTOR) },
  ],
  ['sort', selfComparison((_args, target) => target)],
  ['@sortByAssociatedKeys', selfComparison(([keys]) => keys)],
])

const byOverload: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['cidr_ip', fixed(1)],
  ['list_slice', sliceRule],
  ['lists_range', (_sites, [length]) => newList(1, sizeOfLiteral(length, UNBOUNDED))],
  ['list_reverse', (sites, _args, target) => target && newList(1, sites.size(target))],
  ['list_flatten', (sites, _args, target) => target && newList(1, sites.size(target))],
  [
    'list_flatten_int',
    (sites, [depth], target) => target && newList(sizeOfLiteral(depth, UNBOUNDED).max, sites.size(target)),
  ],
  ['list_distinct', (sites, _args, target) => target && newList(2, squared(sites.size(target)))],
  ['list_sets_contains_list', setProduct(1)],
  ['list_sets_intersects_list', setProduct(1)],
  ['list_sets_equivalent_list', setProduct(2)],
  ['string_format', traversesTarget(TEXT_FACTOR, false)],
  ['starts_with_string', traversesArgument(TEXT_FACTOR)],
  ['ends_with_string', traversesArgument(TEXT_FACTOR)],
  ['string_to_bytes', resized(({ min, max }) => ({ min, max: max * 4 }))],
  ['bytes_to_string', resized(({ min, max }) => ({ min: Math.floor(min / 4), max }))],
  ['strings_quote', resized(({ min, max }) => ({ min: min + 2, max: max * 2 + 2 }))],
  ['in_list', (sites, [, list]) => list && { cost: sites.size(list).max }],
  ['matches_string', (...call) => ({ cost: pattern(...call)?.cost ?? 1 })],
  [
    'contains_string',
    (sites, [part], target) =>
      target &&
      part && { cost: product(times(sites.size(target).max, TEXT_FACTOR), times(sites.size(part).max, TEXT_FACTOR)) },
  ],
  ['add_list', (sites, [a, b]) => a && b && { cost: 1, size: sum(sites.size(a), sites.size(b)) }],
  ['add_string', textSum],
  ['add_bytes', textSum],
  ['equals', shorter],
  ['not_equals', shorter],
  ...['less', 'less_equals', 'greater', 'greater_equals'].flatMap((id) =>
    all([`${id}_string`, `${id}_bytes`], shorter),
  ),
])

/** The rule for one overload of a function. */
export function estimateCall(
  sites: CallSites,
  id: string,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Estimate {
  const rule = byOverload.get(id) ?? byFunction.get(name)
  return rule?.(sites, args, target) ?? { cost: 1 }
}

function all(names: readonly string[], rule: Rule): [string, Rule][] {
  return names.map((name) => [name, rule])
}

function times(size: number, factor: number): number {
  return Math.min(Math.ceil(size * factor), UNBOUNDED)
}

function product(a: number, b: number): number {
  return Math.min(a * b, UNBOUNDED)
}

function sum(a: Size, b: Size): Size {
  return { min: Math.min(a.min + b.min, UNBOUNDED), max: Math.min(a.max + b.max, UNBOUNDED) }
}

function squared({ min, max }: Size): Size {
  return { min: min * min, max: product(max, max) }
}

function newList(factor: number, size: Size): Estimate {
  return { cost: Math.min(times(size.max, factor) + 1 + LIST_COST, UNBOUNDED), size }
}

function sizeOfLiteral(expr: Expr | undefined, otherwise: number): Size {
  const value = expr?.type === 'literal' && typeof expr.value === 'number' ? Math.max(0, expr.value) : otherwise
  return { min: value, max: value }
}

function sliceRule(sites: CallSites, [start, end]: readonly Expr[], target: Expr | undefined): Estimate | undefined {
  if (target === undefined) return undefined
  const length = Math.max(0, sizeOfLiteral(end, sites.size(target).max).max - sizeOfLiteral(start, 0).max)
  return newList(1, { min: length, max: length })
}

function resized(resize: (size: Size) => Size): Rule {
  return (sites, [text]) => {
    if (text === undefined) return undefined
    const size = sites.size(text)
    return { cost: times(size.max, TEXT_FACTOR), size: resize(size) }
  }
}

function textSum(sites: CallSites, [a, b]: readonly Expr[]): Estimate | undefined {
  if (a === undefined || b === undefined) return undefined
  const size = sum(sites.size(a), sites.size(b))
  return { cost: times(size.max, TEXT_FACTOR), size }
}

/** Values of a library are compared in one step, strings up to the shorter length. */
function shorter(sites: CallSites, [a, b]: readonly Expr[]): Estimate | undefined {
  if (a === undefined || b === undefined) return undefined
  if (sites.typeOf(a).kind === 'opaque' && sites.typeOf(b).kind === 'opaque') return { cost: 1 }
  return { cost: times(Math.min(sites.size(a).max, sites.size(b).max), TEXT_FACTOR) }
}

function splitRule(sites: CallSites, [, limit]: readonly Expr[], target: Expr | undefined): Estimate | undefined {
  if (target === undefined) return undefined
  const { max } = sites.size(target)
  return { cost: times(max, 2 * TEXT_FACTOR), size: { min: 0, max: sizeOfLiteral(limit, max).max } }
}

function joinRule(sites: CallSites, [separator]: readonly Expr[], target: Expr | undefined): Estimate | undefined {
  if (target === undefined) return undefined
  const list = sites.size(target)
  const item = sites.itemSize(target)
  const between = separator === undefined ? { min: 0, max: 0 } : sites.size(separator)
  const size = {
    min: list.min * item.min + Math.max(0, list.min - 1) * between.min,
    max: Math.min(product(list.max, item.max) + product(Math.max(0, list.max - 1), between.max), UNBOUNDED),
  }
  return { cost: times(size.max, TEXT_FACTOR), size }
}

function replaceRule(sites: CallSites, args: readonly Expr[], target: Expr | undefined): Estimate | undefined {
  const [part, replacement] = args
  if (target === undefined || part === undefined || replacement === undefined) return undefined
  const text = sites.size(target)
  const size = replacedSize(text, sites.size(part), sites.size(replacement))
  return { cost: times(text.max, 2 * TEXT_FACTOR), size }
}

/** The shortest part replaced by the longest text as often as it fits, and vice versa. */
function replacedSize(text: Size, part: Size, replacement: Size): Size {
  let max = text.max
  if (part.min === 0) max = product(text.max + 1, replacement.max) + text.max
  else if (replacement.max > part.min) max = product(Math.ceil(text.max / part.min), replacement.max)
  let min = text.min
  if (part.max === 0) min = (text.min + 1) * replacement.min + text.min
  else if (part.max > replacement.min) min = Math.ceil(text.min / part.max) * replacement.min
  return { min, max: Math.min(max, UNBOUNDED) }
}
