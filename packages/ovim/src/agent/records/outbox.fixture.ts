import { HubError } from '../hub/hub-error.js'
import type { OperationRecord } from './record.js'
import type { RecordStore } from './record-store.js'

/** The records of a cluster, which outlive the agent. */
export class StoredRecords implements Pick<RecordStore, 'load' | 'find' | 'write' | 'markReported' | 'delete'> {
  readonly records = new Map<string, OperationRecord>()
  isAway = false

  async load(): Promise<OperationRecord[]> {
    this.#require()
    return [...this.records.values()]
  }

  async find(operationId: string): Promise<OperationRecord | undefined> {
    this.#require()
    return this.records.get(operationId)
  }

  async write(record: OperationRecord): Promise<void> {
    this.#require()
    this.records.set(record.operationId, record)
  }

  async markReported(operationId: string): Promise<void> {
    this.#require()
    const record = this.records.get(operationId)
    if (record !== undefined) this.records.set(operationId, { ...record, reported: true })
  }

  async delete(operationId: string): Promise<void> {
    this.#require()
    this.records.delete(operationId)
  }

  #require(): void {
    if (this.isAway) throw new Error("the cluster's API is away")
  }
}

/** The messages that a hub received. */
export class ReceivingHub {
  readonly received: string[] = []
  isAway = false
  rejects = new Set<string>()
  readonly breakerOf = () => ({ state: 'closed' as const, waitMs: 0 })

  readonly #receive = async (kind: string, { operation_id: id }: { operation_id: string }): Promise<void> => {
    if (this.isAway) throw new HubError('unreachable', 'the hub is away')
    if (this.rejects.has(id)) throw new HubError('rejected', 'no such operation', { status: 404 })
    this.received.push(`${kind} ${id}`)
  }

  readonly sendResult = (body: { operation_id: string }) => this.#receive('result', body)
  readonly sendVdcStatus = (body: { operation_id: string }) => this.#receive('vdc-status', body)
  readonly sendVdcDeletion = (body: { operation_id: string }) => this.#receive('vdc-deletion', body)
}
