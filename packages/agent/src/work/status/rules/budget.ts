import {
  CelCostExceeded,
  CelEvaluationFailure,
  type CelValue,
  COST_BUDGET,
  PER_CALL_COST_LIMIT,
  type Program,
} from '@orrery/kube/cel'

/** How much evaluating expressions about one object may cost, all in all. */
export class Budget {
  #left: number

  constructor(cost: number = COST_BUDGET) {
    this.#left = cost
  }

  /** Evaluates at the cost of what is left. Throws what people are told when there is no value. */
  evaluate(program: Program, bindings: Readonly<Record<string, unknown>>): CelValue {
    const costLimit = Math.min(PER_CALL_COST_LIMIT, this.#left)
    try {
      const { value, cost } = program.evaluate(bindings, { costLimit })
      this.#left -= cost
      return value
    } catch (error) {
      if (!(error instanceof CelEvaluationFailure)) throw error
      this.#left = Math.max(0, this.#left - error.cost)
      const isSpent = error.cause instanceof CelCostExceeded && costLimit < PER_CALL_COST_LIMIT
      throw isSpent ? new Error('CEL evaluation budget exceeded', { cause: error }) : error
    }
  }
}
