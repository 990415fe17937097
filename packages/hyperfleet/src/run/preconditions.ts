import { isObject } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import type { Precondition } from '../config/task-config.js'
import { type CallContext, callApi } from './api-call.js'
import type { Execution, PreconditionResult } from './execution.js'
import { fieldValue } from './field.js'
import { logAction } from './log-action.js'
import { fulfils } from './operators.js'

export interface PreconditionsOutcome {
  readonly results: readonly PreconditionResult[]
  /** Why resources are not applied; undefined if every precondition is met. */
  readonly notMet?: string
  readonly failure?: { readonly step: string; readonly error: Error }
}

/** Evaluates preconditions in order, up to the first that is not met or fails. */
export async function evaluatePreconditions(
  execution: Execution,
  context: CallContext,
  log: Logger,
): Promise<PreconditionsOutcome> {
  const results: PreconditionResult[] = []
  for (const precondition of context.adapter.task.preconditions) {
    const { name } = precondition
    try {
      if (precondition.log !== undefined) logAction(precondition.log, execution, context.adapter.templates, log)
      await callFor(precondition, execution, context)
      const unmet = unmetOf(precondition, execution, context)
      results.push({ name, status: 'success', matched: unmet === undefined })
      if (unmet !== undefined) return { results, notMet: `precondition '${name}' not met: ${unmet}` }
    } catch (error) {
      results.push({ name, status: 'failed', matched: false, error: (error as Error).message })
      return { results, failure: { step: name, error: error as Error } }
    }
  }
  return { results }
}

/** The older form: a request whose response becomes a parameter, and whose fields can become others. */
async function callFor(precondition: Precondition, execution: Execution, context: CallContext): Promise<void> {
  if (precondition.apiCall === undefined) return
  const response: unknown = JSON.parse((await callApi(precondition.apiCall, execution.params, context)).body)
  execution.params[precondition.name] = response
  const data = isObject(response) ? response : {}
  for (const { name, field, expression, default: fallback } of precondition.capture) {
    if (field !== undefined) execution.params[name] = fieldValue(data, field) ?? fallback ?? null
    if (expression === undefined) continue
    const variables = { ...execution.variables, ...data, [precondition.name]: data }
    const result = context.adapter.expressions.evaluate(expression, variables)
    execution.params[name] = result.ok ? result.value : (fallback ?? null)
  }
}

/** What is not met; undefined if all is. */
function unmetOf(
  { conditions, expression }: Precondition,
  execution: Execution,
  { adapter }: CallContext,
): string | undefined {
  const variables = execution.variables
  const unmet = conditions.flatMap(({ field, operator, value }) => {
    const actual = fieldValue(variables, field)
    const expected = value === undefined ? '' : ` ${JSON.stringify(value)}`
    return fulfils(actual, operator, value)
      ? []
      : [`${field} ${operator}${expected} (actual: ${JSON.stringify(actual ?? null)})`]
  })
  if (unmet.length > 0) return unmet.join('; ')
  if (expression === undefined) return undefined
  const result = adapter.expressions.evaluate(expression, variables)
  if (!result.ok) return `expression failed: ${result.message}`
  return result.matched ? undefined : `expression returned ${JSON.stringify(result.value)}`
}
