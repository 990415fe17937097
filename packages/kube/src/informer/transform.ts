import type { ApiObject, ResourceType } from '@orrery/kinds'
import { formatGroupVersion } from '@orrery/kinds/values'

export interface TransformOptions {
  /** Keep `metadata.managedFields`, which is often half of an object and of no use to controllers. Default false. */
  readonly keepManagedFields?: boolean
  /** Keep nothing but the metadata. */
  readonly metadataOnly?: boolean
}

/** Makes objects as they came from a server as small as they can be kept. They may be changed, or replaced. */
export function transformer<T extends ApiObject>(kind: ResourceType, options: TransformOptions): (object: T) => T {
  const { keepManagedFields = false, metadataOnly = false } = options
  const apiVersion = formatGroupVersion(kind.group, kind.version)
  return (object) => {
    const { metadata } = object
    if (!keepManagedFields && metadata.managedFields !== undefined) {
      // `delete` would turn the metadata into a hash table, which is larger than what it saves.
      const { managedFields: _, ...rest } = metadata
      object.metadata = rest as T['metadata']
    }
    if (metadataOnly) return { apiVersion, kind: kind.kind, metadata: object.metadata } as T
    // Every object came with copies of these; and what is in a list may come without.
    object.apiVersion = apiVersion
    object.kind = kind.kind
    return object
  }
}

/** Makes an object and all in it unchangeable. */
export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
}
