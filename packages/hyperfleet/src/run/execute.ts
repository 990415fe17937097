import type { Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { ApiClient } from '../api/api-client.js'
import type { Adapter } from '../config/load.js'
import type { ObjectClient } from '../objects/object-client.js'
import type { WorkClient } from '../works/work-client.js'
import { ResourceGone } from './api-call.js'
import type { AdapterEvent } from './event.js'
import { Execution, type ExecutionResult, type Phase, type PostActionResult } from './execution.js'
import { resolveParams } from './params.js'
import { runPostActions } from './post.js'
import { evaluatePreconditions } from './preconditions.js'
import { applyResources } from './resources.js'

/** What an adapter works with. */
export interface RunContext {
  readonly adapter: Adapter
  /** For resources that go to Maestro. */
  readonly client?: WorkClient
  /** For resources that go to the Kubernetes API. */
  readonly objects?: ObjectClient
  readonly api: ApiClient
  readonly log: Logger
  readonly signal: AbortSignal
  /** Default the system clock. */
  readonly clock?: Clock
}

/** The resource of the event does not exist any more: there is nothing to report to. */
const GONE = 'ResourceNotFound'

type Steps = Pick<ExecutionResult, 'preconditions' | 'resources' | 'postActions'>

/**
 * Handles an event: parameters, preconditions, resources, post actions. Post actions report failures of the phases
 * before them, except if a required parameter is missing, without which a report cannot be built.
 */
export async function execute(event: AdapterEvent, context: RunContext): Promise<ExecutionResult> {
  const { adapter, log } = context
  const execution = new Execution(event, adapter.config, adapter.environment)
  const none: Steps = { preconditions: [], resources: [], postActions: [] }
  const failed = (phase: Phase, reason: string, step: string, error: Error) => {
    log.error('a phase failed', { phase, step, error: error.message })
    execution.fail(reason, { phase, step, message: error.message })
  }

  try {
    await resolveParams(execution, context, log)
  } catch (error) {
    if (isGone(error)) return gone(execution, none)
    failed('param_extraction', 'ParameterExtractionFailed', 'params', error as Error)
    return resultOf(execution, none)
  }

  const { results: preconditions, notMet, failure } = await evaluatePreconditions(execution, context, log)
  if (failure !== undefined && isGone(failure.error)) return gone(execution, { ...none, preconditions })
  if (failure !== undefined) failed('preconditions', 'PreconditionFailed', failure.step, failure.error)
  execution.skipReason = failure?.error.message ?? notMet

  const resources = execution.skipReason === undefined ? await applyResources(execution, context) : []
  const post = await runPostActions(execution, context)
  if (post.failure !== undefined && isGone(post.failure.error)) {
    return gone(execution, { preconditions, resources, postActions: post.results.map(withoutFailure) })
  }
  if (post.failure !== undefined) failed('post_actions', 'PostActionFailed', post.failure.step, post.failure.error)
  return resultOf(execution, { preconditions, resources, postActions: post.results })
}

function isGone(error: unknown): boolean {
  return error instanceof ResourceGone || (error instanceof Error && error.cause instanceof ResourceGone)
}

function gone(execution: Execution, steps: Steps): ExecutionResult {
  execution.skipReason = GONE
  return resultOf(execution, steps)
}

function withoutFailure(result: PostActionResult): PostActionResult {
  return result.status === 'failed' ? { name: result.name, status: 'skipped', skipped: true, reason: GONE } : result
}

function resultOf(
  { failed, params, resources: discovered, skipReason, errors }: Execution,
  steps: Steps,
): ExecutionResult {
  return { status: failed ? 'failed' : 'success', skipReason, params, discovered, errors, ...steps }
}
