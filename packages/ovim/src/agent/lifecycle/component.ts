import type { CheckStatus } from '../../wire/index.js'

export interface ComponentHealth {
  readonly status: CheckStatus
  /** Why it is not healthy, and what to do. */
  readonly message?: string
}

export const HEALTHY: ComponentHealth = { status: 'healthy' }

/** A part of the agent with a lifecycle of its own. The supervisor starts it again when it fails. */
export interface Component {
  readonly name: string
  /** Whether the agent cannot work without it. */
  readonly critical?: boolean
  /** Resolves when it works. A component that was stopped can be started again. */
  start(signal: AbortSignal): Promise<void>
  /** Finishes what is in progress and releases everything. */
  stop(): Promise<void>
  health(): ComponentHealth
}
