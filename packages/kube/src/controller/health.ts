import type { ObjectRef } from '@orrery/kinds'

/** The health of a controller. */
export interface ControllerHealth {
  readonly name: string
  /**
   * `standby`: another process leads. `waiting`: for its informers. `failed`: an informer was closed before it
   * synced.
   */
  readonly state: 'standby' | 'waiting' | 'running' | 'failed' | 'stopped'
  /** The resources whose informers have not synced. */
  readonly waitingFor: readonly string[]
  /** Whether the next object has been waiting for too long. */
  readonly isBehind: boolean
  /** How long the next object has been waiting. */
  readonly waitedMilliseconds: number
  /** Objects to reconcile now. */
  readonly ready: number
  /** Objects to reconcile later. */
  readonly waiting: number
  /** Objects being reconciled. */
  readonly running: number
  /** Objects whose last reconcile failed. */
  readonly failing: number
  /** The last failure other than a conflict. */
  readonly lastError?: { readonly at: Date; readonly ref: ObjectRef; readonly message: string }
}

/** The health of a controller that does not run in this process. */
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
