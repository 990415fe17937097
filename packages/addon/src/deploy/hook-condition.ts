import { AddOnCondition, AddOnReason } from '@orrery/api'
import { type Finding, formatTime } from '@orrery/kinds/values'
import type { HookState } from './hook-work.js'

/** The hooks of an add-on for one cluster. */
export interface Hook {
  /** The name of their work. */
  readonly work: string
  /** The finalizer that keeps the add-on until they complete. */
  readonly finalizer: string
  readonly state: HookState
}

/** Until when hooks may run. */
export interface HookLimit {
  readonly seconds: number
  readonly deadline: Date
}

/** The condition HookManifestCompleted of an add-on that is being deleted. */
export function hookFinding(hooks: readonly Hook[], limit: HookLimit | undefined, now: Date): Finding | undefined {
  if (hooks.length === 0) return undefined
  const type = AddOnCondition.HookManifestCompleted
  const open = hooks.filter(({ state }) => state.state !== 'completed')
  if (open.length === 0) {
    const message = hooks.map(({ work }) => `hook manifestWork ${work} is completed.`).join(' ')
    return { type, status: 'True', reason: AddOnReason.HookCompleted, message }
  }
  if (limit !== undefined && isOver(limit, now)) {
    const message = open.map((hook) => timedOut(hook, limit.seconds)).join(' ')
    return { type, status: 'False', reason: AddOnReason.HookTimedOut, message }
  }
  const hasFailed = open.some(({ state }) => state.state === 'failed')
  const reason = hasFailed ? AddOnReason.HookFailed : AddOnReason.HookNotCompleted
  const ending = limit === undefined ? [] : [`The add-on is deleted without it at ${formatTime(limit.deadline)}.`]
  return { type, status: 'False', reason, message: [...open.map(progress), ...ending].join(' ') }
}

/** Whether the time for hooks is over. */
export function isOver(limit: HookLimit | undefined, now: Date): boolean {
  return limit !== undefined && now >= limit.deadline
}

function progress({ work, finalizer, state }: Hook): string {
  if (state.state === 'failed') {
    const fix = `Delete it on the cluster to run it again, or remove the finalizer ${finalizer} from the add-on.`
    return `hook manifestWork ${work} has failed. ${state.problem}. ${fix}`
  }
  const problem = state.state === 'running' ? state.problem : undefined
  return `hook manifestWork ${work} is not completed.${problem === undefined ? '' : ` ${problem}.`}`
}

function timedOut({ work, state }: Hook, seconds: number): string {
  const problem = state.state === 'completed' ? undefined : state.problem
  const text = `hook manifestWork ${work} has not completed within ${seconds}s: the add-on is deleted without it.`
  return problem === undefined ? text : `${text} ${problem}.`
}
