import { CelEvaluationFailure, type CelValue, type Program } from '@orrery/cel'
import type { JsonValue } from '@orrery/kinds'

/** The result of an evaluation: a value or an error, and the cost. */
export interface Outcome {
  readonly value?: CelValue
  readonly error?: string
  readonly cost: number
}

/** Evaluates a rule or its message expression for a value and its old value, if any. */
export function evaluate(program: Program, self: JsonValue, oldSelf: JsonValue | undefined): Outcome {
  try {
    return program.evaluate({ self, oldSelf })
  } catch (error) {
    if (!(error instanceof CelEvaluationFailure)) throw error
    return { error: error.message, cost: error.cost }
  }
}
