import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'

/** Something the agent did, or was told to do. */
export interface AuditEntry {
  readonly time: string
  /** `operation`, `agent-state`, `config` or `local-api`. */
  readonly kind: string
  readonly action: string
  readonly target: string
  readonly outcome: string
  readonly operationId?: string
  readonly requestedBy?: string
  readonly message?: string
}

const SIZE = 500

/** Records every administrative action as a line of the log, and keeps the last ones for the local API. */
export class AuditLog {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #entries: AuditEntry[] = []

  constructor(log: Logger, clock: Clock) {
    this.#log = log.child('audit')
    this.#clock = clock
  }

  record(entry: Omit<AuditEntry, 'time'>): void {
    const complete = { time: this.#clock.now().toISOString(), ...entry }
    this.#entries.push(complete)
    if (this.#entries.length > SIZE) this.#entries.shift()
    this.#log.info('audit', { ...entry })
  }

  /** Newest first. */
  list(): AuditEntry[] {
    return [...this.#entries].reverse()
  }
}
