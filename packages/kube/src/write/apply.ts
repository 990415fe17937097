import type { KubeClient } from '../client/client.js'
import type { ApplyOptions } from '../client/options.js'
import { jsonEqual } from '../json.js'
import type { ApiObject, Draft, Kind } from '../kind.js'
import { formatGroupVersion, type JsonObject } from '../object.js'
import { ownedPart } from './owned-fields.js'

export interface ApplyIfChangedOptions extends ApplyOptions {
  readonly fieldManager: string
}

/**
 * Server-side apply that needs no request when `current` shows that it would change nothing: the fields that the manager
 * owns there are exactly the ones of `object`, with the same values. That is read from `metadata.managedFields`, so
 * nothing has to be remembered between calls, and drift as well as fields no longer wanted are noticed. Without
 * `current`, or when it was kept without its managed fields, it always applies.
 */
export async function applyIfChanged<T extends ApiObject, New extends object>(
  client: KubeClient,
  kind: Kind<T, New>,
  object: NoInfer<Partial<New>> & Pick<Draft<ApiObject>, 'metadata'>,
  current: T | undefined,
  options: ApplyIfChangedOptions,
): Promise<T> {
  if (current !== undefined && isApplied(kind, object, current, options)) return current
  return client.apply(kind, object, options)
}

function isApplied<T extends ApiObject>(
  kind: Kind<T, object>,
  object: Pick<Draft<ApiObject>, 'metadata'>,
  current: T,
  { fieldManager, subresource = '' }: ApplyIfChangedOptions,
): boolean {
  const apiVersion = formatGroupVersion(kind.group, kind.version)
  const entry = current.metadata.managedFields?.find(
    (candidate) =>
      candidate.operation === 'Apply' &&
      candidate.manager === fieldManager &&
      candidate.apiVersion === apiVersion &&
      (candidate.subresource ?? '') === subresource,
  )
  if (entry?.fieldsV1 === undefined) return false
  return jsonEqual(ownedPart(current as unknown as JsonObject, entry.fieldsV1), trackedPart(object))
}

/** What of an applied object is tracked: all but the fields that say which object it is. */
function trackedPart(object: Pick<Draft<ApiObject>, 'metadata'>): object {
  const { apiVersion: _, kind: __, metadata, ...rest } = object as Draft<ApiObject>
  const { name: ___, namespace: ____, ...tracked } = metadata
  return Object.keys(tracked).length === 0 ? rest : { ...rest, metadata: tracked }
}
