import { ManifestCondition, ManifestReason, type ManifestResourceMeta } from '@orrery/api'
import { type DynamicObject, type Finding, isOlder } from '@orrery/kube'
import type { WatchedObjects, WatchedRef } from '../watched/types.js'

/** What is known of the object of a manifest. */
export type Observation =
  | { readonly state: 'there'; readonly object: DynamicObject }
  | { readonly state: 'absent' }
  /** It cannot be read. */
  | { readonly state: 'failed'; readonly message: string }
  /** The manifest does not say enough to tell which object it is. */
  | { readonly state: 'unnamed' }

/**
 * Looks at the object of a manifest. Undefined while the answer is on its way: it has only just been asked for, or is
 * known to have been at a later version than the one here.
 */
export function observe(
  watched: WatchedObjects,
  meta: ManifestResourceMeta,
  atLeast?: string | undefined,
): Observation | undefined {
  const ref = watchedRefOf(meta)
  if (ref === undefined) return { state: 'unnamed' }
  const object = watched.get(ref)
  if (object !== undefined) {
    const isOld = atLeast !== undefined && isOlder(object.metadata.resourceVersion, atLeast)
    return isOld ? undefined : { state: 'there', object }
  }
  if (watched.isKnown(ref)) return { state: 'absent' }
  const failure = watched.failure(ref)
  return failure && { state: 'failed', message: failure.message }
}

/** Whether the object is on the cluster. */
export function availabilityOf(observation: Observation): Finding {
  const type = ManifestCondition.Available
  switch (observation.state) {
    case 'there':
      return { type, status: 'True', reason: ManifestReason.ResourceAvailable, message: 'Resource is available' }
    case 'absent':
      return {
        type,
        status: 'False',
        reason: ManifestReason.ResourceNotAvailable,
        message: 'Resource is not available',
      }
    case 'unnamed': {
      const message = 'Resource meta is incomplete'
      return { type, status: 'Unknown', reason: ManifestReason.IncompleteResourceMeta, message }
    }
    case 'failed': {
      const message = `Failed to fetch resource: ${observation.message}`
      return { type, status: 'Unknown', reason: ManifestReason.FetchingResourceFailed, message }
    }
  }
}

/** Where the object of a manifest is; undefined when the manifest does not say. */
export function watchedRefOf(meta: ManifestResourceMeta): WatchedRef | undefined {
  const { group = '', version = '', resource = '', namespace = '', name = '' } = meta
  if (version === '' || resource === '' || name === '') return undefined
  return { group, version, resource, namespace, name }
}
