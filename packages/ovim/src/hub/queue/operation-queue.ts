import { forbidden } from '@orrery/kinds/values'
import { type Informer, isConflict, isNotFound, type KubeClient, writeStatus } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { OVIM_GROUP, ZONE_LABEL } from '../../kinds/names.js'
import { Operation } from '../../kinds/operation.js'
import type { OperationResult, WireOperation } from '../../wire/operation.js'
import { deliverableOf } from './delivery-order.js'
import { delivered, isFinished, leaseEnd, reported } from './operation-state.js'
import type { QueueMetrics } from './queue-metrics.js'
import { ZoneWaiters } from './zone-waiters.js'

export interface QueueOptions {
  readonly client: KubeClient
  /** All operations of the hub. */
  readonly operations: Informer<Operation>
  readonly clock: Clock
  readonly metrics: QueueMetrics
}

/** Who takes operations. */
export interface QueueAgent {
  readonly zone: string
  readonly agentId: string
}

/** The result of a report: `unknown` operations were removed some time after they had finished. */
export type Reception = 'recorded' | 'unchanged' | 'unknown'

const ACTIVE_IN_ZONE = 'active-zone'
const BY_UID = 'uid'
const FIELD_MANAGER = 'ovim-operations'

/**
 * Delivers operations to agents. An operation is an object of the API server, and its delivery is a lease that is written before the
 * agent gets the operation. So an operation whose response is lost, or whose agent or hub is killed, is delivered again when the lease
 * ends. The id of an operation is the uid of its object, the same at each delivery.
 */
export class OperationQueue {
  readonly #client: KubeClient
  readonly #operations: Informer<Operation>
  readonly #clock: Clock
  readonly #metrics: QueueMetrics
  readonly #waiters = new ZoneWaiters()
  readonly #unsubscribe: () => void

  constructor({ client, operations, clock, metrics }: QueueOptions) {
    this.#client = client.withFieldManager(FIELD_MANAGER)
    this.#operations = operations
    this.#clock = clock
    this.#metrics = metrics
    operations.addIndex(ACTIVE_IN_ZONE, activeZone)
    operations.addIndex(BY_UID, uidOf)
    this.#unsubscribe = operations.subscribe(({ before, after }) => {
      // Also the end of an operation: the next one of its target can be delivered.
      const zone = (after ?? before)?.spec.zone
      if (zone !== undefined) this.#waiters.wake(zone)
    })
  }

  /** The number of agents that wait for an operation. */
  get waiting(): number {
    return this.#waiters.size
  }

  /** Operations of a zone that are not finished. */
  active(zone: string): readonly Operation[] {
    return this.#operations.byIndex(ACTIVE_IN_ZONE, zone)
  }

  /** Leases the operations that can be delivered now, at most `max`. */
  async take(agent: QueueAgent, max: number): Promise<WireOperation[]> {
    const ready = deliverableOf(this.active(agent.zone), this.#clock.now()).slice(0, max)
    const leased = await Promise.all(ready.map((operation) => this.#lease(operation, agent)))
    return leased.filter((operation) => operation !== undefined).map(wireOperation)
  }

  /** The same, and waits for an operation if there is none. Resolves with none after the time, or when the signal is aborted. */
  async takeWithin(
    agent: QueueAgent,
    max: number,
    waitMilliseconds: number,
    signal: AbortSignal,
  ): Promise<WireOperation[]> {
    const deadline = this.#clock.elapsed() + waitMilliseconds
    while (!signal.aborted) {
      // Registered before looking, so that an operation that comes meanwhile is not missed.
      const wait = this.#waiters.add(agent.zone)
      try {
        const operations = await this.take(agent, max)
        const rest = deadline - this.#clock.elapsed()
        if (operations.length > 0 || rest <= 0) return operations
        await wait.until(this.#clock, Math.min(rest, this.#nextLeaseEnd(agent.zone)), signal)
      } finally {
        wait.end()
      }
    }
    return []
  }

  /** Records what an agent reports about an operation. Reports may be repeated and late. Throws a 403 for an operation of another zone. */
  async report({ zone, agentId }: QueueAgent, id: string, result: OperationResult): Promise<Reception> {
    const operation = await this.#find(zone, id)
    if (operation === undefined) return 'unknown'
    if (operation.spec.zone !== zone) {
      throw forbidden(
        { group: OVIM_GROUP, resource: 'operations' },
        id,
        `agent ${JSON.stringify(agentId)} acts for zone ${JSON.stringify(zone)} only`,
      )
    }
    let isChanged = false
    const statusOf = (current: Operation) => {
      const next = reported(current, result, this.#clock.now())
      isChanged = next !== current.status
      return next
    }
    try {
      const after = await writeStatus(this.#client, Operation, operation, statusOf)
      if (isChanged && isFinished(after)) this.#metrics.finished(after)
    } catch (error) {
      if (isNotFound(error)) return 'unknown'
      throw error
    }
    return isChanged ? 'recorded' : 'unchanged'
  }

  close(): void {
    this.#unsubscribe()
    this.#waiters.wakeAll()
  }

  /** Undefined if another process or request has changed the operation: its agent has it, or it is finished. */
  async #lease(operation: Operation, { agentId }: QueueAgent): Promise<Operation | undefined> {
    const statusOf = (current: Operation) => delivered(current, agentId, this.#clock.now())
    try {
      const leased = await writeStatus(this.#client, Operation, operation, statusOf, { tries: 1 })
      this.#metrics.delivered(leased, this.#clock.now())
      return leased
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined
      throw error
    }
  }

  /** Another replica of the hub may have delivered an operation that this one does not know yet. */
  async #find(zone: string, id: string): Promise<Operation | undefined> {
    const [known] = this.#operations.byIndex(BY_UID, id)
    if (known !== undefined) return known
    const { items } = await this.#client.list(Operation, { labelSelector: `${ZONE_LABEL}=${zone}` })
    return items.find(({ metadata }) => metadata.uid === id)
  }

  /** Milliseconds until the next lease of the zone ends. */
  #nextLeaseEnd(zone: string): number {
    const now = this.#clock.now().getTime()
    let next = Number.POSITIVE_INFINITY
    for (const operation of this.active(zone)) {
      const end = leaseEnd(operation)
      if (end !== undefined && end.getTime() > now) next = Math.min(next, end.getTime() - now)
    }
    return next
  }
}

/** The functions of the indexes: the same for all users of an informer. */
function activeZone(operation: Operation): string[] {
  return isFinished(operation) ? [] : [operation.spec.zone]
}

function uidOf({ metadata }: Operation): string[] {
  return [metadata.uid]
}

function wireOperation({ metadata, spec, status }: Operation): WireOperation {
  const retries = (status?.attempts ?? 1) - 1
  return {
    id: metadata.uid,
    type: spec.type,
    payload: spec.payload,
    timestamp: metadata.creationTimestamp,
    ...(retries > 0 && { retry_count: retries }),
    ...(spec.timeoutSeconds !== undefined && { timeout_seconds: spec.timeoutSeconds }),
  }
}
