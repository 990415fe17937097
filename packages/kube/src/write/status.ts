import type { ApiObject, Condition, Kind } from '@orrery/kinds'
import { type Finding, setConditions } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import { type Clock, systemClock } from '../clock.js'
import { semanticEqual } from './equal.js'
import { mergePatchOf } from './merge-patch.js'
import { type LockedPatchOptions, patchLocked } from './patch.js'

export type StatusWriteOptions = Omit<LockedPatchOptions, 'subresource'>

/**
 * Sets the status to the result of `statusOf`, which gets the current object and must not change it. Sends only the
 * differences, and nothing if there are none; on a conflict `statusOf` is called again with the latest object.
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

/** Sets conditions in the status, and keeps the others. */
export function writeConditions<
  T extends ApiObject & { readonly status?: { readonly conditions?: readonly Condition[] } },
>(
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
