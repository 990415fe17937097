import type { CallExpr, Expr, FoldExpr } from '../ast.js'
import { LIST_COST } from '../cost.js'
import type { Frame } from '../frame.js'
import { typeOfValue } from '../runtimetype.js'
import { ArrayList, CelList } from '../values/list.js'
import { CelMap, HashMap } from '../values/map.js'
import { CelEvalError, type CelValue, noSuchOverload } from '../values/value.js'
import type { Planner, Step } from './planner.js'

/** Plans the expansion of a collection macro. */
export function planFold(planner: Planner, expr: FoldExpr): Step {
  if (isBinding(expr)) return planBinding(planner, expr)
  const range = planner.plan(expr.range).step
  const initial = freshContainer(expr.initial) ?? planner.plan(expr.initial).step
  const accumulator = planner.newSlot()
  const first = planner.newSlot()
  const second = planner.newSlot()
  const read =
    (slot: number): Step =>
    (frame) =>
      frame.local(slot)

  return planner.within(expr.accumulator, accumulator, read(accumulator), () => {
    const [condition, step] = planner.within(expr.variable, first, read(first), () =>
      planner.within(expr.variable2 ?? '', second, read(second), () => [
        planCondition(planner, expr.condition),
        planAccumulation(planner, expr, accumulator) ?? planner.plan(expr.step).step,
      ]),
    )
    const result = planner.plan(expr.result).step
    const twoVariables = expr.variable2 !== undefined

    return (frame) => {
      const over = range(frame)
      frame.values[accumulator] = initial(frame)
      const turn = (one: CelValue, two: CelValue): boolean => {
        frame.values[first] = one
        frame.values[second] = two
        if (condition !== undefined && condition(frame) !== true) return false
        frame.values[accumulator] = attempt(step, frame)
        return true
      }
      if (over instanceof CelList) {
        for (let i = 0; i < over.length; i++) {
          const item = over.at(i)
          if (!turn(twoVariables ? i : item, item)) break
        }
      } else if (over instanceof CelMap) {
        for (const key of over.keys()) {
          if (!turn(key, twoVariables ? (over.find(key) as CelValue) : key)) break
        }
      } else {
        throw new CelEvalError(`got '${goName(over)}', expected iterable type`)
      }
      return result(frame)
    }
  })
}

/** The name of a value's type in cel-go's source. */
function goName(value: CelValue): string {
  const { kind } = typeOfValue(value)
  return `types.${kind[0]?.toUpperCase()}${kind.slice(1)}`
}

/** An error becomes the accumulator, and later steps may absorb it. */
function attempt(step: Step, frame: Frame): CelValue | CelEvalError {
  try {
    return step(frame)
  } catch (error) {
    if (error instanceof CelEvalError) return error
    throw error
  }
}

function planCondition(planner: Planner, expr: Expr): Step | undefined {
  return expr.type === 'literal' && expr.value === true ? undefined : planner.plan(expr).step
}

/** An empty list or map is created for each evaluation, because the fold adds to it in place. */
function freshContainer(expr: Expr): Step | undefined {
  if (expr.type === 'list' && expr.items.length === 0) return () => new ArrayList([])
  if (expr.type === 'map' && expr.entries.length === 0) return () => new HashMap()
  return undefined
}

/** `accumulator + [x]` and `insert(accumulator, …)`, alone or after a filter, without copying. */
function planAccumulation(planner: Planner, { initial, step }: FoldExpr, accumulator: number): Step | undefined {
  if (freshContainer(initial) === undefined || step.type !== 'call') return undefined
  if (step.name !== '_?_:_') return planAddition(planner, step, accumulator)
  const [filter, addition] = step.args as [Expr, Expr]
  const add = addition.type === 'call' ? planAddition(planner, addition, accumulator) : undefined
  if (add === undefined) return undefined
  const keep = planner.plan(filter).step
  return (frame) => {
    const wanted = keep(frame)
    if (typeof wanted !== 'boolean') throw noSuchOverload()
    return wanted ? add(frame) : frame.local(accumulator)
  }
}

function planAddition(planner: Planner, expr: CallExpr, accumulator: number): Step | undefined {
  const [target, ...rest] = expr.args
  if (target === undefined || planner.localSlot(target) !== accumulator) return undefined
  const [added] = rest
  if (expr.name === '_+_' && added?.type === 'list' && added.items.length === 1) {
    const item = planner.plan(added.items[0] as Expr)
    const listCost = item.constant === undefined ? LIST_COST : 0
    return (frame) => {
      frame.charge(1)
      const list = frame.local(accumulator) as ArrayList
      const value = item.step(frame)
      frame.charge(listCost + 1)
      list.push(value)
      return list
    }
  }
  if (expr.name !== 'cel.@mapInsert') return undefined
  const entry = rest.map((arg) => planner.plan(arg).step)
  return (frame) => {
    frame.charge(1)
    const map = frame.local(accumulator) as HashMap
    const [key, value] = entry.map((step) => step(frame)) as [CelValue, CelValue?]
    frame.charge(1)
    insert(map, key, value)
    return map
  }
}

/** One entry, or all of another map. */
function insert(map: HashMap, key: CelValue, value: CelValue | undefined): void {
  if (value !== undefined) map.insert(key, value)
  else if (key instanceof CelMap) for (const each of key.keys()) map.insert(each, key.find(each) as CelValue)
  else throw noSuchOverload()
}

/** `cel.bind`: a fold without iterations. */
export function isBinding({ range, condition }: FoldExpr): boolean {
  const overNothing = range.type === 'list' && range.items.length === 0
  return overNothing && condition.type === 'literal' && condition.value === false
}

function planBinding(planner: Planner, expr: FoldExpr): Step {
  const value = planner.plan(expr.initial).step
  const slot = planner.newSlot()
  const read: Step = (frame) => {
    if (frame.values[slot] === undefined) frame.values[slot] = value(frame)
    return frame.local(slot)
  }
  const result = planner.within(expr.accumulator, slot, read, () => planner.plan(expr.result).step)
  return (frame) => {
    frame.values[slot] = undefined
    return result(frame)
  }
}
