import type { ApiObject, Draft, JsonObject, Kind } from '@orrery/kinds'
import { formatGroupVersion, jsonEqual } from '@orrery/kinds/values'
import type { KubeClient } from '../client/client.js'
import type { ApplyOptions } from '../client/options.js'
import { comparison } from './comparison.js'
import { ownedPart } from './owned-fields.js'
import { refOfObject } from './patch.js'

/** Options of `ensure`. */
export interface EnsureOptions extends Omit<ApplyOptions, 'subresource'> {
  /** The field manager that owns the object's fields. Default the client's: in a reconcile, the name of the controller. */
  readonly fieldManager?: string
  /** Take over fields that other managers own, instead of failing with a conflict. Default true. */
  readonly force?: boolean
}

type Wanted<New extends object> = Partial<New> & Pick<Draft<ApiObject>, 'metadata'>

/**
 * Brings an object of a controller to its desired state with server-side apply. Sends nothing if `current`, the
 * object as an informer or a read has it, shows that the apply would change nothing. Corresponds to `CreateOrUpdate`
 * and `CreateOrPatch` of controller-runtime.
 *
 * With `metadata.managedFields` in `current` the comparison is exact: the fields that the manager owns are compared
 * with `wanted`, so that both drift and fields that are no longer wanted are detected. Informers drop managed fields
 * by default. Then everything in `wanted` outside the metadata must be equal; labels, annotations, finalizers and
 * owners that others have added do not count. If `current` has more than `wanted`, such as defaults of the server,
 * the object is read once to decide.
 *
 * Without `current` it always applies.
 */
export async function ensure<T extends ApiObject, New extends object>(
  client: KubeClient,
  kind: Kind<T, New>,
  wanted: NoInfer<Wanted<New>>,
  current: T | undefined,
  options: EnsureOptions = {},
): Promise<T> {
  const { fieldManager = client.fieldManager, signal } = options
  const found =
    current && fieldManager !== undefined && (await unchanged(client, kind, wanted, current, fieldManager, signal))
  return found || client.apply(kind, wanted, { force: true, ...options })
}

/** Objects of informers that were found to be in the desired state by a read. They never change. */
const verified = new WeakMap<ApiObject, { readonly fieldManager: string; readonly wanted: object }>()

/** The current object, if applying `wanted` would not change it. */
async function unchanged<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  wanted: Wanted<object>,
  current: T,
  fieldManager: string,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (current.metadata.managedFields !== undefined) {
    return isApplied(kind, wanted, current, fieldManager) ? current : undefined
  }
  const result = comparison(current, wanted)
  if (result !== 'more') return result === 'equal' ? current : undefined
  const known = verified.get(current)
  if (known?.fieldManager === fieldManager && jsonEqual(known.wanted, wanted)) return current
  const live = await client.find(kind, refOfObject(current), signal === undefined ? {} : { signal })
  if (live === undefined || !isApplied(kind, wanted, live, fieldManager)) return undefined
  if (live.metadata.resourceVersion === current.metadata.resourceVersion)
    verified.set(current, { fieldManager, wanted })
  return live
}

function isApplied(
  kind: Kind<ApiObject, object>,
  wanted: Wanted<object>,
  current: ApiObject,
  fieldManager: string,
): boolean {
  const apiVersion = formatGroupVersion(kind.group, kind.version)
  const entry = current.metadata.managedFields?.find(
    (candidate) =>
      candidate.operation === 'Apply' &&
      candidate.manager === fieldManager &&
      candidate.apiVersion === apiVersion &&
      (candidate.subresource ?? '') === '',
  )
  if (entry?.fieldsV1 === undefined) return false
  return jsonEqual(ownedPart(current as unknown as JsonObject, entry.fieldsV1), trackedPart(wanted))
}

/** The part of an applied object that has a field manager: all but the fields that identify it. */
function trackedPart(object: Wanted<object>): object {
  const { apiVersion: _, kind: __, metadata, ...rest } = object as Draft<ApiObject>
  const { name: ___, namespace: ____, ...tracked } = metadata
  return Object.keys(tracked).length === 0 ? rest : { ...rest, metadata: tracked }
}
