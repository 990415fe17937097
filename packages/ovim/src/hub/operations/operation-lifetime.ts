import { type ControllerSpec, each, requeueAt, writeStatus } from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import { Operation } from '../../kinds/operation.js'
import { expired, expiryOf, isFinished } from '../queue/operation-state.js'
import type { QueueMetrics } from '../queue/queue-metrics.js'
import { settledOperations } from './settled.js'

export interface RetentionOptions {
  /** How long finished operations are kept. Default a day. */
  readonly retentionMilliseconds: number
  /** How many finished operations of a namespace are kept. Default 1,000. */
  readonly maxFinished: number
}

export const DEFAULT_RETENTION: RetentionOptions = { retentionMilliseconds: 86_400_000, maxFinished: 1_000 }

/** An object that has not recorded the result of its operation is looked at again after this time. */
const SETTLING_MILLISECONDS = 10_000

/** Expires operations at their deadline, and removes finished ones some time later. */
export function operationLifetime(
  { informers, clock }: ManagerContext,
  { retentionMilliseconds }: RetentionOptions,
  metrics: QueueMetrics,
): ControllerSpec {
  const operations = informers.of(Operation)
  const isSettled = settledOperations(informers)
  return {
    name: 'ovim-operation-lifetime',
    wakes: [each(operations)],
    async reconcile(ref, { client }) {
      const operation = operations.get(ref)
      if (operation === undefined) return
      const now = clock.now()
      if (!isFinished(operation)) {
        const at = expiryOf(operation)
        if (now < at) return requeueAt(at)
        let isExpired = false
        const after = await writeStatus(client, Operation, operation, (current) => {
          // A result may have come meanwhile.
          isExpired = !isFinished(current) && clock.now() >= expiryOf(current)
          return isExpired ? expired(current, clock.now()) : current.status
        })
        if (isExpired) metrics.expired(after)
        return
      }
      const at = new Date(Date.parse(completedAt(operation)) + retentionMilliseconds)
      if (now < at) return requeueAt(at)
      if (!isSettled(operation)) return requeueAt(new Date(now.getTime() + SETTLING_MILLISECONDS))
      await client.ensureDeleted(Operation, ref, { preconditions: { uid: operation.metadata.uid } })
      return
    },
  }
}

/** Removes the oldest finished operations of a namespace that has too many of them. */
export function operationSurplus(
  { informers, clock }: ManagerContext,
  { maxFinished }: RetentionOptions,
): ControllerSpec {
  const operations = informers.of(Operation)
  const isSettled = settledOperations(informers)
  const namespaceOf = (operation: Operation) =>
    isFinished(operation) ? { name: operation.metadata.namespace } : undefined
  return {
    name: 'ovim-operation-surplus',
    wakes: [each(operations, namespaceOf)],
    async reconcile({ name: namespace }, { client }) {
      const finished = operations.list(namespace).filter(isFinished)
      // Some more than the limit are removed together, so that this is not done for each operation.
      if (finished.length <= maxFinished + Math.ceil(maxFinished / 10)) return
      const oldestFirst = finished.sort((a, b) => (completedAt(a) < completedAt(b) ? -1 : 1))
      const surplus = oldestFirst.slice(0, finished.length - maxFinished)
      const removable = surplus.filter(isSettled)
      for (const { metadata } of removable) {
        await client.ensureDeleted(Operation, metadata, { preconditions: { uid: metadata.uid } })
      }
      if (removable.length === surplus.length) return
      return requeueAt(new Date(clock.now().getTime() + SETTLING_MILLISECONDS))
    },
  }
}

function completedAt({ metadata, status }: Operation): string {
  return status?.completedAt ?? metadata.creationTimestamp
}
