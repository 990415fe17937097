import type { PostAction } from '../config/task-config.js'
import { callApi } from './api-call.js'
import type { RunContext } from './execute.js'
import type { Execution, PostActionResult } from './execution.js'
import { logAction } from './log-action.js'
import { buildPayload } from './payload.js'

export interface PostOutcome {
  readonly results: readonly PostActionResult[]
  readonly failure?: { readonly step: string; readonly error: Error }
}

/** Builds payloads and runs post actions in order, up to the first that fails. */
export async function runPostActions(execution: Execution, context: RunContext): Promise<PostOutcome> {
  const results: PostActionResult[] = []
  let skipped: ReadonlySet<string>
  try {
    skipped = buildPayloads(execution, context)
  } catch (error) {
    return { results, failure: { step: 'build_payloads', error: error as Error } }
  }
  for (const action of context.adapter.task.postActions) {
    const { name } = action
    try {
      const reason = skipReason(action, skipped, execution, context)
      if (reason !== undefined) {
        results.push({ name, status: 'skipped', skipped: true, reason })
        continue
      }
      if (action.log !== undefined) logAction(action.log, execution, context.adapter.templates, context.log)
      if (action.apiCall !== undefined) await callApi(action.apiCall, execution.params, context)
      results.push({ name, status: 'success', skipped: false })
    } catch (error) {
      results.push({ name, status: 'failed', skipped: false, error: (error as Error).message })
      return { results, failure: { step: name, error: error as Error } }
    }
  }
  return { results }
}

/** Each payload becomes a parameter with its JSON. Returns the names of those whose `when` is false. */
function buildPayloads(execution: Execution, { adapter }: RunContext): ReadonlySet<string> {
  const skipped = new Set<string>()
  for (const { name, build, when } of adapter.task.payloads) {
    if (when !== undefined && !isMet(when, `payload ${JSON.stringify(name)}`, execution, adapter)) {
      skipped.add(name)
      continue
    }
    execution.params[name] = JSON.stringify(buildPayload(build, adapter, execution.params, execution.variables))
  }
  return skipped
}

function isMet(
  expression: string,
  what: string,
  execution: Execution,
  { expressions }: RunContext['adapter'],
): boolean {
  const result = expressions.evaluate(expression, execution.variables)
  if (!result.ok) throw new Error(`when of ${what}: ${result.message}`)
  return result.matched
}

function skipReason(
  { name, when, apiCall }: PostAction,
  skippedPayloads: ReadonlySet<string>,
  execution: Execution,
  { adapter }: RunContext,
): string | undefined {
  for (const payload of skippedPayloads) {
    if (adapter.templates.uses(apiCall?.body ?? '', payload)) return `payload '${payload}' was skipped`
  }
  if (when === undefined || isMet(when, `post action ${JSON.stringify(name)}`, execution, adapter)) return undefined
  return `when is false: ${when}`
}
