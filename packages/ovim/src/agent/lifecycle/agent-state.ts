import type { Logger } from '@orrery/kube/log'
import type { AgentState } from '../../wire/index.js'
import { type Conditions, transitions } from './state-machine.js'

/** The state of an agent, and the conditions it follows from. */
export class AgentStateHolder {
  readonly #log: Logger
  readonly #subscribers = new Set<(state: AgentState, before: AgentState) => void>()
  #state: AgentState = 'Connecting'
  #conditions: Conditions = { hub: 'retrying', failing: 0, failingCritical: 0 }

  constructor(log: Logger) {
    this.#log = log
  }

  get state(): AgentState {
    return this.#state
  }

  /** Whether the hub accepted the last report. */
  get isRegistered(): boolean {
    return this.#conditions.hub === 'registered'
  }

  observe(change: Partial<Conditions>): void {
    this.#conditions = { ...this.#conditions, ...change }
    for (const next of transitions(this.#state, this.#conditions)) {
      const before = this.#state
      this.#state = next
      this.#log.info('agent state changed', { from: before, to: next, ...this.#conditions })
      for (const subscriber of this.#subscribers) subscriber(next, before)
    }
  }

  /** Calls back for every transition. Returns a function that unsubscribes. */
  subscribe(onChange: (state: AgentState, before: AgentState) => void): () => void {
    this.#subscribers.add(onChange)
    return () => {
      this.#subscribers.delete(onChange)
    }
  }
}
