import { check } from './checker.js'
import { type CelLibrary, environment } from './environment.js'
import { estimateCost } from './estimate.js'
import { Frame, type Variable } from './frame.js'
import { type CelIssue, formatIssues, IssueList } from './issue.js'
import { kubernetesLibraries } from './library/index.js'
import { parse } from './parser.js'
import { Planner } from './plan/planner.js'
import type { CelType } from './type.js'
import { validate } from './validator.js'
import { CelCostExceeded, CelEvalError, type CelValue } from './values/value.js'

export interface CompileOptions {
  /** The variables of expressions, and their types. */
  readonly variables: Readonly<Record<string, CelType>>
  /** Default `kubernetesLibraries`. */
  readonly libraries?: readonly CelLibrary[]
  /**
   * Reject what Kubernetes rejects though it could be evaluated: literals of several types, constants that are not
   * valid. Default true.
   */
  readonly strict?: boolean
}

export type Compilation =
  | { readonly ok: true; readonly program: Program }
  | {
      readonly ok: false
      /** Parsed and checked, or prepared for evaluation: Kubernetes distinguishes them. */
      readonly stage: 'compilation' | 'instantiation'
      readonly issues: readonly CelIssue[]
      /** All issues as cel-go prints them. */
      readonly message: string
    }

export interface EvaluateOptions {
  /** Stop if the evaluation costs more than this. Default 1,000,000, Kubernetes' limit for one call. */
  readonly costLimit?: number
}

export interface Evaluation {
  readonly value: CelValue
  readonly cost: number
}

/** A failed evaluation, with its cost. */
export class CelEvaluationFailure extends Error {
  readonly cost: number
  /** Whether the evaluation itself failed, not the expression or its data. */
  readonly isInternal: boolean

  constructor(cause: Error, cost: number) {
    super(cause.message, { cause })
    this.name = 'CelEvaluationFailure'
    this.cost = cost
    this.isInternal = !(cause instanceof CelEvalError || cause instanceof CelCostExceeded)
  }
}

/** Kubernetes' limit for one evaluation. */
export const PER_CALL_COST_LIMIT = 1_000_000
/** Kubernetes' limit for all evaluations of one object or policy. */
export const COST_BUDGET = 10_000_000

/** A compiled expression, for any number of evaluations. */
export interface Program {
  readonly source: string
  readonly outputType: CelType
  /** The maximum cost of an evaluation, given the bounds of the declared types. */
  readonly estimatedCost: number
  /** The variables of the environment that the expression uses. */
  readonly uses: ReadonlySet<string>
  /** Throws `CelEvaluationFailure`. Bindings are JSON, interpreted by the variables' types. */
  evaluate(bindings: Readonly<Record<string, unknown>>, options?: EvaluateOptions): Evaluation
}

/** Parses, checks and plans an expression. */
export function compile(source: string, options: CompileOptions): Compilation {
  const { variables, libraries = kubernetesLibraries, strict = true } = options
  const declared = environment(libraries, variables)
  const issues = new IssueList(source)
  const failed = (): Compilation => {
    const sorted = issues.sorted()
    return { ok: false, stage: 'compilation', issues: sorted, message: formatIssues(source, sorted, issues.truncated) }
  }

  const expr = parse(source, declared.macros, issues)
  if (expr === undefined) return failed()
  const checked = check(expr, declared, issues)
  if (!issues.empty) return failed()
  validate(expr, checked, { strict, formatStyle: declared.formatStyle }, issues)
  if (!issues.empty) return failed()

  const slots = Object.entries(variables).map(([name, type]): Variable => ({ name, type }))
  const planner = new Planner(checked, slots, strict)
  let step: ReturnType<Planner['plan']>['step']
  try {
    step = planner.plan(expr).step
  } catch (error) {
    if (!(error instanceof CelEvalError)) throw error
    const issue = { message: error.message, line: 1, column: 0 }
    return { ok: false, stage: 'instantiation', issues: [issue], message: error.message }
  }

  const used = [...checked.names.values()].flatMap((name) => (name.type === 'variable' ? [name.name] : []))
  const program: Program = {
    source,
    outputType: checked.types.get(expr.id) as CelType,
    estimatedCost: estimateCost(expr, checked),
    uses: new Set(used.filter((name) => declared.variables.has(name))),
    evaluate(bindings, { costLimit = PER_CALL_COST_LIMIT } = {}) {
      const frame = new Frame(slots, planner.slotCount, bindings, costLimit)
      try {
        return { value: step(frame), cost: frame.cost }
      } catch (error) {
        throw new CelEvaluationFailure(error as Error, frame.cost)
      }
    },
  }
  return { ok: true, program }
}
