import type { Clock } from '@orrery/kube/clock'
import type { StatusReport } from '../../wire/status-report.js'

/** What the hub last heard from the agent of a zone. */
export interface AgentContact {
  readonly agentId: string
  readonly clusterId: string
  readonly zone: string
  readonly version: string
  /** When the last request came, by the hub's clock. */
  readonly lastContact: Date
  /** The last report; undefined if the agent has only asked for operations since the hub started. */
  readonly report: StatusReport | undefined
  readonly lastReport: Date | undefined
}

/** The agents that this process has heard from. It is lost with the process: the next reports fill it again. */
export class AgentContacts {
  readonly #clock: Clock
  readonly #zones = new Map<string, AgentContact>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get(zone: string): AgentContact | undefined {
    return this.#zones.get(zone)
  }

  list(): AgentContact[] {
    return [...this.#zones.values()]
  }

  heard(agent: Pick<AgentContact, 'agentId' | 'clusterId' | 'zone' | 'version'>, report?: StatusReport): AgentContact {
    const now = this.#clock.now()
    const known = this.#zones.get(agent.zone)
    const contact: AgentContact = {
      ...agent,
      lastContact: now,
      report: report ?? known?.report,
      lastReport: report === undefined ? known?.lastReport : now,
    }
    this.#zones.set(agent.zone, contact)
    return contact
  }

  forget(zone: string): void {
    this.#zones.delete(zone)
  }
}
