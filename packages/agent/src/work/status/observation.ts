import { ManifestCondition, ManifestReason, type ManifestResourceMeta } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { isOlder } from '@orrery/kube/informer'
import type { Reading } from '../executor/reading.js'
import type { WatchedObjects, WatchedRef } from '../watched/types.js'
import type { PodsView } from './readiness/workload-pods.js'

/** What is known of the object of a manifest. */
export type Observation =
  | {
      readonly state: 'there'
      readonly object: DynamicObject
      /** Of a workload that is not ready, what is known of its pods. */
      readonly pods?: PodsView
    }
  | { readonly state: 'absent' }
  /** It cannot be read. */
  | { readonly state: 'failed'; readonly message: string }
  /** The work must not report on it: its executor may not read it, or it is a Secret of the agent. */
  | { readonly state: 'refused'; readonly message: string }
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

/** As `observe`, for a work that may not report on everything. Undefined also before it is known what it may report on. */
export function observeAllowed(
  watched: WatchedObjects,
  reading: Pick<Reading, 'answer'>,
  meta: ManifestResourceMeta,
  atLeast?: string | undefined,
): Observation | undefined {
  const ref = watchedRefOf(meta)
  if (ref === undefined) return { state: 'unnamed' }
  const answer = reading.answer({ ...ref, verb: 'get' })
  if (answer === undefined) return undefined
  return answer.refusal === undefined ? observe(watched, meta, atLeast) : { state: 'refused', message: answer.refusal }
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
    case 'refused': {
      // The same whether the object is there or not: that, too, is for those to know who may read it.
      const message = `Resource is not available: ${observation.message}`
      return { type, status: 'False', reason: ManifestReason.ResourceNotAvailable, message }
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
