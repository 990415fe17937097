import { CelEvaluationFailure, COST_BUDGET, PER_CALL_COST_LIMIT, type Program } from './compile.js'
import { CelCostExceeded, type CelValue } from './values/value.js'

/** The cost of compilation per character, in units of evaluation. */
const COMPILING_COST = 75
/** Longer expressions are not compiled. */
const MAX_EXPRESSION = 100_000

/** The cost limit of several expressions together, such as those of a ManifestWork or of one predicate of a Placement. */
export class CelBudget {
  readonly #limit: number
  #left: number

  constructor(cost: number = COST_BUDGET) {
    this.#limit = cost
    this.#left = cost
  }

  /** The cost so far. */
  get spent(): number {
    return this.#limit - this.#left
  }

  /** Charges the budget for compiling an expression. Throws the error for the condition if the budget is exceeded. */
  compile(source: string): void {
    this.#left = Math.max(0, this.#left - COMPILING_COST * Math.min(source.length, MAX_EXPRESSION))
    if (this.#left === 0) throw new Error('CEL evaluation budget exceeded')
  }

  /** Evaluates within the remaining budget. Throws an error with the message for the condition if there is no value. */
  evaluate(program: Program, bindings: Readonly<Record<string, unknown>>): CelValue {
    const costLimit = Math.min(PER_CALL_COST_LIMIT, this.#left)
    try {
      const { value, cost } = program.evaluate(bindings, { costLimit })
      this.#left -= cost
      return value
    } catch (error) {
      if (!(error instanceof CelEvaluationFailure)) {
        // What it has cost is not known.
        this.#left -= costLimit
        throw error
      }
      this.#left = Math.max(0, this.#left - error.cost)
      const isSpent = error.cause instanceof CelCostExceeded && costLimit < PER_CALL_COST_LIMIT
      throw isSpent ? new Error('CEL evaluation budget exceeded', { cause: error }) : error
    }
  }
}
