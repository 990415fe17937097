import type { ApiObject, Mutable, ResourceType } from '@orrery/kinds'
import { formatGroupVersion } from '@orrery/kinds/values'

export interface TransformOptions {
  /** Keep `metadata.managedFields`, which is often half of an object and not useful to controllers. Default false. */
  readonly keepManagedFields?: boolean
  /** Keep only the metadata. */
  readonly metadataOnly?: boolean
}

/** Makes received objects as small as possible. They may be modified or replaced. */
export function transformer<T extends ApiObject>(kind: ResourceType, options: TransformOptions): (object: T) => T {
  const { keepManagedFields = false, metadataOnly = false } = options
  const apiVersion = formatGroupVersion(kind.group, kind.version)
  return (received) => {
    // Nothing else refers to it yet.
    const object = received as Mutable<Pick<ApiObject, 'apiVersion' | 'kind'>> & { metadata: ApiObject['metadata'] }
    const { metadata } = object
    if (!keepManagedFields && metadata.managedFields !== undefined) {
      // `delete` would turn the metadata into a hash table, which is larger than what it saves.
      const { managedFields: _, ...rest } = metadata
      object.metadata = rest
    }
    if (metadataOnly) return { apiVersion, kind: kind.kind, metadata: object.metadata } as T
    // Every object came with copies of these strings; and list items may lack them.
    object.apiVersion = apiVersion
    object.kind = kind.kind
    return received
  }
}

/** Freezes an object and everything in it. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
}
