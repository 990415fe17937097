import type { ApiObject, JsonObject, ResourceType } from '@orrery/kinds'
import { isAlreadyExists, isForbidden } from '@orrery/kinds/values'
import { type Informer, type KubeClient, writeStatus } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import {
  MANAGED_BY_LABEL,
  ORGANIZATION_LABEL,
  organizationOf,
  REQUESTED_BY_ANNOTATION,
  SEQUENCE_LABEL,
  SYSTEM_NAMESPACE,
  ZONE_LABEL,
} from '../../kinds/names.js'
import { Operation, type OperationTarget } from '../../kinds/operation.js'
import type { OperationSummary } from '../../kinds/operation-summary.js'
import type { OperationType } from '../../wire/operation-types.js'
import { cancelled, phaseOf } from '../queue/operation-state.js'
import { operationName } from './operation-name.js'

/** An object that operations are for. */
export type OperationOwner = ApiObject & { readonly status?: { readonly operation?: OperationSummary } }

/** An operation to start. */
export interface NewTask {
  readonly type: OperationType
  readonly zone: string
  readonly payload: JsonObject
  /** What the object records when the operation has completed. */
  readonly effect?: Readonly<Record<string, string>>
  readonly timeoutSeconds?: number
}

const BY_TARGET = 'target-uid'
const EFFECT_PREFIX = 'effect.ovim.io/'

/**
 * The operations of objects, one at a time for each. Their names are numbered, so that a controller which does not yet see the
 * operation that it has created cannot create it twice.
 */
export class ObjectOperations {
  readonly #operations: Informer<Operation>
  readonly #kind: ResourceType

  constructor(operations: Informer<Operation>, kind: ResourceType) {
    this.#operations = operations
    this.#kind = kind
    operations.addIndex(BY_TARGET, targetUid)
  }

  /** The object that an operation is for, if it is of this kind: for wakes. */
  readonly ownerOf = ({ spec: { target } }: Operation) =>
    target.kind === this.#kind.kind ? { namespace: target.namespace, name: target.name } : undefined

  /** The last operation of an object; undefined if there was none, or if it was removed. */
  async last(client: KubeClient, owner: OperationOwner): Promise<Operation | undefined> {
    const summary = owner.status?.operation
    const known = this.#operations.byIndex(BY_TARGET, owner.metadata.uid)
    const last = known.reduce<Operation | undefined>(
      (latest, one) => (latest === undefined || sequenceOf(one) > sequenceOf(latest) ? one : latest),
      undefined,
    )
    if (summary === undefined || (last !== undefined && sequenceOf(last) >= summary.sequence)) return last
    // The cache may not have it yet.
    return client.find(Operation, { namespace: summary.namespace, name: summary.name })
  }

  /** Creates the next operation of an object. */
  async start(
    client: KubeClient,
    owner: OperationOwner,
    task: NewTask,
    last: Operation | undefined,
  ): Promise<Operation> {
    const { namespace = '', name, uid, annotations } = owner.metadata
    const sequence = Math.max(owner.status?.operation?.sequence ?? 0, last === undefined ? 0 : sequenceOf(last)) + 1
    const target: OperationTarget = { kind: this.#kind.kind as OperationTarget['kind'], namespace, name, uid }
    const organization = organizationOf(namespace)
    const requestedBy = annotations?.[REQUESTED_BY_ANNOTATION]
    const draft = (within: string) => ({
      metadata: {
        namespace: within,
        name: operationName(uid, sequence),
        labels: {
          [SEQUENCE_LABEL]: String(sequence),
          [ZONE_LABEL]: task.zone,
          [MANAGED_BY_LABEL]: 'ovim',
          ...(organization !== undefined && { [ORGANIZATION_LABEL]: organization }),
        },
        annotations: Object.fromEntries(
          Object.entries(task.effect ?? {}).map(([key, value]) => [`${EFFECT_PREFIX}${key}`, value]),
        ),
      },
      spec: {
        type: task.type,
        zone: task.zone,
        target,
        payload: task.payload,
        ...(task.timeoutSeconds !== undefined && { timeoutSeconds: task.timeoutSeconds }),
        ...(requestedBy !== undefined && { requestedBy: requestedBy.slice(0, 1024) }),
      },
    })
    try {
      return await created(client, draft(namespace))
    } catch (error) {
      // Nothing can be created in a namespace that is being deleted, and its machines have to be deleted all the same.
      if (!isForbidden(error)) throw error
      return created(client, draft(SYSTEM_NAMESPACE))
    }
  }
}

async function created(client: KubeClient, draft: Parameters<KubeClient['create']>[1] & { metadata: object }) {
  try {
    return await client.create(Operation, draft as never)
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    const { namespace, name } = draft.metadata as { namespace: string; name: string }
    return client.get(Operation, { namespace, name })
  }
}

/** Ends an operation that no agent has received. Throws a conflict if one receives it at the same time. */
export function cancel(client: KubeClient, operation: Operation, reason: string, clock: Clock): Promise<Operation> {
  return writeStatus(client, Operation, operation, (current) => cancelled(current, reason, clock.now()), { tries: 1 })
}

/** Whether an agent can have executed a part of an operation. */
export function mayHaveRun(operation: Operation): boolean {
  return (operation.status?.attempts ?? 0) > 0
}

/** What an object records about an operation. */
export function summaryOf(operation: Operation, before: OperationSummary | undefined): OperationSummary {
  const { metadata, spec, status } = operation
  const isSameOperation = before?.name === metadata.name
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    sequence: sequenceOf(operation),
    type: spec.type,
    phase: phaseOf(operation),
    ...(status?.reportedAt !== undefined && { reportedAt: status.reportedAt }),
    ...(before?.failures !== undefined && { failures: before.failures }),
    ...(isSameOperation && before?.retryAt !== undefined && { retryAt: before.retryAt }),
  }
}

/** The part of an effect that an operation carries. */
export function effectOf({ metadata: { annotations } }: Operation, key: string): string | undefined {
  return annotations?.[`${EFFECT_PREFIX}${key}`]
}

/** The number of an operation among those of its object. */
export function sequenceOf({ metadata }: Operation): number {
  return Number(metadata.labels?.[SEQUENCE_LABEL] ?? 0)
}

function targetUid({ spec }: Operation): string[] {
  return spec.target.uid === undefined ? [] : [spec.target.uid]
}
