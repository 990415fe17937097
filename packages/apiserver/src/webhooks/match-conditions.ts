import { type CelAuthorizer, compile, formatType, matchConditionVariables, type Program } from '@orrery/cel'
import type { MatchCondition } from '@orrery/kinds/admissionregistration'

/** The cost budget for all match conditions of one webhook. */
const COST_BUDGET = 2_500_000

/** The variables of match conditions. */
export interface ConditionInput {
  readonly object: unknown
  readonly oldObject: unknown
  readonly request: unknown
  readonly authorizer: CelAuthorizer
  readonly requestResource: CelAuthorizer
}

/** Returns why an expression is not a valid match condition; undefined if it is valid. */
export function conditionProblem(expression: string): string | undefined {
  const compiled = compile(expression, { variables: matchConditionVariables })
  if (!compiled.ok)
    return `${compiled.stage === 'compilation' ? 'compilation' : 'instantiation'} failed: ${compiled.message}`
  const { outputType } = compiled.program
  if (outputType.kind === 'bool' || outputType.kind === 'dyn') return undefined
  return `must evaluate to bool but got ${formatType(outputType)}`
}

/** The match conditions of one webhook, compiled on first use. */
export class MatchConditions {
  readonly #conditions: readonly MatchCondition[]
  #programs: readonly (Program | string)[] | undefined

  constructor(conditions: readonly MatchCondition[]) {
    this.#conditions = conditions
  }

  get isEmpty(): boolean {
    return this.#conditions.length === 0
  }

  /** Returns whether all conditions are true. Throws an `Error` if one fails and no other is false. */
  hold(input: ConditionInput): boolean {
    this.#programs ??= this.#conditions.map(({ expression }) => {
      const compiled = compile(expression, { variables: matchConditionVariables })
      return compiled.ok ? compiled.program : compiled.message
    })
    const { requestResource, ...rest } = input
    const bindings = { ...rest, 'authorizer.requestResource': requestResource }
    const problems: string[] = []
    let budget = COST_BUDGET
    for (const [index, program] of this.#programs.entries()) {
      const expression = this.#conditions[index]?.expression ?? ''
      const undecided = (why: string) => problems.push(`expression '${expression}' resulted in error: ${why}`)
      if (typeof program === 'string') {
        undecided(program)
        continue
      }
      try {
        const { value, cost } = program.evaluate(bindings, { costLimit: budget })
        budget -= cost
        if (value === false) return false
        if (value !== true) undecided('it is not a bool')
      } catch (error) {
        undecided(error instanceof Error ? error.message : String(error))
      }
    }
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`)
    return true
  }
}
