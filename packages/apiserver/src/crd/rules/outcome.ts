import { CelEvaluationFailure, type CelValue, type Program } from '@orrery/cel'
import type { JsonValue } from '@orrery/kinds'

/** What an evaluation came to: a value or an error, and what it cost. */
export interface Outcome {
  readonly value?: CelValue
  readonly error?: string
  readonly cost: number
}

/** Evaluates a rule or its message on a value, and on what the value was if there was one. */
export function evaluate(program: Program, self: JsonValue, oldSelf: JsonValue | undefined): Outcome {
  try {
    return program.evaluate({ self, oldSelf })
  } catch (error) {
    if (!(error instanceof CelEvaluationFailure)) throw error
    return { error: error.message, cost: error.cost }
  }
}
