import type { OperationSummary } from '../kinds/operation-summary.js'

/**
 * How far an object is from what was requested.
 *
 * | state       | meaning                                                       |
 * |-------------|---------------------------------------------------------------|
 * | as-requested | nothing is left to do                                        |
 * | in-progress | the hub or an agent works on it                               |
 * | waiting     | something else has to happen first                            |
 * | refused     | it is not possible until the request or its surroundings change |
 * | failed      | it was tried and failed; the hub repeats it                   |
 */
export type ExplainedState = 'as-requested' | 'in-progress' | 'waiting' | 'refused' | 'failed'

/** Why an object is as it is, and what to do. */
export interface Explanation {
  readonly state: ExplainedState
  /** A sentence without its subject: `is running`. */
  readonly text: string
  readonly advice?: string
}

/** Whether somebody has to do something. */
export function isProblem({ state }: Explanation): boolean {
  return state !== 'as-requested' && state !== 'in-progress'
}

/** The text of an explanation with its advice. */
export function explanationText({ text, advice }: Explanation): string {
  return advice === undefined ? text : `${text}. ${advice}`
}

/** Whether an operation is under way. */
export function isUnfinished(operation: OperationSummary | undefined): operation is OperationSummary {
  return operation?.phase === 'Pending' || operation?.phase === 'Leased' || operation?.phase === 'Running'
}
