import type { ObjectRef } from '@orrery/kinds'

/** How a controller is doing. */
export interface ControllerHealth {
  readonly name: string
  /**
   * `standby`: another process leads. `waiting`: for its informers. `failed`: an informer was closed before it was
   * filled.
   */
  readonly state: 'standby' | 'waiting' | 'running' | 'failed' | 'stopped'
  /** The resources whose informers are not filled yet. */
  readonly waitingFor: readonly string[]
  /** Whether the object that is next has been waiting for too long. */
  readonly isBehind: boolean
  /** How long the object that is next has been waiting. */
  readonly waitedMilliseconds: number
  /** Objects to be looked at now, */
  readonly ready: number
  /** at some later time, */
  readonly waiting: number
  /** or being looked at. */
  readonly running: number
  /** Of all of them, those whose last reconcile failed. */
  readonly failing: number
  /** The last failure that was more than a conflict. */
  readonly lastError?: { readonly at: Date; readonly ref: ObjectRef; readonly message: string }
}

/** A controller that does nothing in this process. */
export function idleHealth(name: string, state: 'standby' | 'stopped'): ControllerHealth {
  return {
    name,
    state,
    waitingFor: [],
    isBehind: false,
    waitedMilliseconds: 0,
    ready: 0,
    waiting: 0,
    running: 0,
    failing: 0,
  }
}
