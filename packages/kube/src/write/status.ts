import type { ApiObject, Condition, Kind } from '@orrery/kinds'
import { type Finding, setConditions } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { semanticEqual } from './equal.js'
import { mergePatchOf } from './merge-patch.js'
import { type LockedPatchOptions, patchLocked } from './patch.js'

export type StatusWriteOptions = Omit<LockedPatchOptions, 'subresource'>

/**
 * Makes the status what `statusOf` says, which sees the current object and must not change it. Sends the changed parts
 * alone, and nothing at all when nothing changed; on a conflict `statusOf` is asked again about the latest state.
 */
export function writeStatus<T extends ApiObject & { status?: object }>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  statusOf: (current: T) => T['status'],
  options: StatusWriteOptions = {},
): Promise<T> {
  const patchOf = (current: T) => {
    const before = current.status ?? {}
    const after = statusOf(current) ?? {}
    if (semanticEqual(before, after)) return undefined
    const status = mergePatchOf(before, after)
    return status && { status }
  }
  return patchLocked(client, kind, object, patchOf, { ...options, subresource: 'status' })
}

export interface ConditionWriteOptions extends StatusWriteOptions {
  /** Default the system clock. */
  readonly clock?: Clock
}

/** Makes conditions in the status as found, and leaves the others as they are. */
export function writeConditions<T extends ApiObject & { status?: { conditions?: Condition[] } }>(
  client: KubeClient,
  kind: Kind<T, object>,
  object: T,
  findings: readonly Finding[],
  options: ConditionWriteOptions = {},
): Promise<T> {
  const { clock = systemClock, ...rest } = options
  const now = clock.now()
  const statusOf = (current: T) => {
    const { status } = current
    return { ...status, conditions: setConditions(status?.conditions, findings, now) } as T['status']
  }
  return writeStatus(client, kind, object, statusOf, rest)
}
