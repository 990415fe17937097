import { eventually, type FakeClock } from '@orrery/kube/testing'
import { NO_RESOURCES, type OperationResult, type StatusReport, type VmStatus, type WireOperation } from '@orrery/ovim'
import type { RestClient, RestReply } from './rest.js'

/** An agent that a test plays by hand. */
export class TestAgent {
  readonly zone: string
  readonly agentId: string
  readonly #connect: () => RestClient
  readonly #clock: FakeClock
  #vms: VmStatus[] = []

  constructor(connect: () => RestClient, { agentId, zone }: { agentId: string; zone: string }, clock: FakeClock) {
    this.#connect = connect
    this.agentId = agentId
    this.zone = zone
    this.#clock = clock
  }

  /** A new connection each time: the hub may have restarted at another port. */
  get rest(): RestClient {
    return this.#connect()
  }

  statusReport(overrides: Partial<StatusReport> = {}): StatusReport {
    const now = this.#clock.now().toISOString()
    return {
      agent_id: this.agentId,
      cluster_id: this.zone,
      zone_id: this.zone,
      status: 'healthy',
      version: 'v1',
      metrics: {
        cluster_id: this.zone,
        zone_id: this.zone,
        resources: {
          ...NO_RESOURCES,
          cpu_capacity: 64_000,
          memory_capacity: 256e9,
          storage_capacity: 1e12,
          node_count: 3,
        },
        node_status: [],
        last_collected: now,
      },
      vdcs: [],
      vms: this.#vms,
      last_hub_contact: now,
      report_time: now,
      ...overrides,
    }
  }

  report(overrides: Partial<StatusReport> = {}): Promise<RestReply> {
    return this.rest.send('POST', '/api/v1/spoke/status', this.statusReport(overrides))
  }

  /** Reports virtual machines from now on. */
  reportMachines(...vms: (Pick<VmStatus, 'name' | 'namespace' | 'status'> & Partial<VmStatus>)[]): Promise<RestReply> {
    const now = this.#clock.now().toISOString()
    this.#vms = vms.map((vm) => ({ phase: '', created_at: now, updated_at: now, ...vm }))
    return this.report()
  }

  /** The operations that the hub delivers now. Those that announce templates are completed at once. */
  async poll(query = ''): Promise<WireOperation[]> {
    const all = await this.pollAll(query)
    const isAnnouncement = ({ type }: WireOperation) => type === 'TemplateSync'
    for (const { id } of all.filter(isAnnouncement)) await this.result(id, 'completed')
    return all.filter((operation) => !isAnnouncement(operation))
  }

  async pollAll(query = ''): Promise<WireOperation[]> {
    const { status, body, text } = await this.rest.send('GET', `${this.pollPath}${query}`)
    if (status === 204) return []
    if (status !== 200) throw new Error(`the poll was answered ${status}: ${text}`)
    return body as WireOperation[]
  }

  get pollPath(): string {
    return `/api/v1/spoke/operations?agent_id=${this.agentId}`
  }

  result(id: string, status: OperationResult['status'], more: Partial<OperationResult> = {}): Promise<RestReply> {
    const timestamp = this.#clock.now().toISOString()
    return this.rest.send('POST', `/api/v1/spoke/operations/${id}/result`, {
      operation_id: id,
      status,
      timestamp,
      ...more,
    })
  }

  /** Waits for an operation of a type, which has to be the next one. */
  async next(type: string): Promise<WireOperation> {
    const [operation, ...more] = await eventually(
      `${type} is delivered to ${this.zone}`,
      async () => {
        const found = await this.poll()
        return found.length > 0 && found
      },
      { intervalMilliseconds: 2, meanwhile: () => this.#clock.advance(2) },
    )
    if (operation?.type !== type || more.length > 0) {
      throw new Error(`${type} was expected, and came ${JSON.stringify([operation, ...more].map((one) => one?.type))}`)
    }
    return operation
  }

  /** Waits for an operation and reports that it has completed. */
  async complete(type: string, result?: OperationResult['result']): Promise<WireOperation> {
    const operation = await this.next(type)
    await this.result(operation.id, 'completed', result === undefined ? {} : { result })
    return operation
  }

  async fail(type: string, error: string): Promise<WireOperation> {
    const operation = await this.next(type)
    await this.result(operation.id, 'failed', { error })
    return operation
  }
}
