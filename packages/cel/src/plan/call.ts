import type { CallExpr, Expr } from '../ast.js'
import { callCost } from '../cost.js'
import type { Frame } from '../frame.js'
import type { CallCost, Overload } from '../overload.js'
import { admits } from '../runtimetype.js'
import type { CelType } from '../type.js'
import { CelEvalError, type CelValue } from '../values/value.js'
import type { Planned, Planner, Step } from './planner.js'

/** An overload with its cost. */
interface Candidate {
  readonly overload: Overload
  readonly cost: CallCost
}

/** Plans a call of a function: directly if the types determine the overload, else by the arguments at run time. */
export function planCall(
  planner: Planner,
  expr: CallExpr,
  overloads: readonly Overload[],
  operands: readonly Expr[],
  planned: readonly Planned[],
): Step {
  const candidates = overloads.map(
    (overload): Candidate => ({ overload, cost: callCost(overload, overloads.length === 1) }),
  )
  const steps = planned.map(({ step }) => step)
  const [only] = candidates
  if (only !== undefined && candidates.length === 1 && isSettled(planner, only.overload, operands)) {
    return direct(only, steps)
  }
  return (frame) => {
    const args = steps.map((step) => step(frame))
    const found = candidates.find(({ overload }) => admitsAll(overload, args))
    if (found === undefined) throw noneFits(expr.name, overloads)
    return run(found, frame, args)
  }
}

/** Whether the types of the arguments are known well enough to need no check at run time. */
function isSettled(planner: Planner, overload: Overload, operands: readonly Expr[]): boolean {
  return operands.every((operand, index) => {
    const wanted = (overload.args[index] as CelType).kind
    return wanted === 'dyn' || wanted === 'param' || planner.typeOf(operand).kind === wanted
  })
}

function direct({ overload, cost }: Candidate, steps: readonly Step[]): Step {
  const { call } = overload
  const [first, second] = steps
  if (cost.when === 'fixed' && first !== undefined && steps.length <= 2) {
    const units = cost.cost
    if (second === undefined) {
      return (frame) => {
        const value = first(frame)
        frame.charge(units)
        return call(value)
      }
    }
    return (frame) => {
      const left = first(frame)
      const right = second(frame)
      frame.charge(units)
      return call(left, right)
    }
  }
  const candidate = { overload, cost }
  return (frame) =>
    run(
      candidate,
      frame,
      steps.map((step) => step(frame)),
    )
}

function run({ overload, cost }: Candidate, frame: Frame, args: readonly CelValue[]): CelValue {
  if (cost.when === 'fixed') frame.charge(cost.cost)
  else if (cost.when === 'before') frame.charge(cost.cost(args))
  const result = overload.call(...args)
  if (cost.when === 'after') frame.charge(cost.cost(result, args))
  return result
}

function admitsAll(overload: Overload, args: readonly CelValue[]): boolean {
  for (let i = 0; i < args.length; i++) {
    if (!admits(overload.args[i] as CelType, args[i] as CelValue)) return false
  }
  return true
}

/** Errors of operators have no name; those of functions with several overloads do. */
function noneFits(name: string, overloads: readonly Overload[]): CelEvalError {
  const isOperator = /[^\w.]/.test(name)
  return new CelEvalError(overloads.length < 2 || isOperator ? 'no such overload' : `no such overload: ${name}`)
}
