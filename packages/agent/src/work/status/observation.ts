import { ManifestCondition, ManifestReason, type ManifestResourceMeta } from '@orrery/api'
import type { Finding } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { isOlder } from '@orrery/kube/informer'
import type { Reading } from '../executor/reading.js'
import type { WatchedObjects, WatchedRef } from '../watched/types.js'
import type { PodsView } from './readiness/workload-pods.js'

/** The state of a manifest's object. */
export type Observation =
  | {
      readonly state: 'there'
      readonly object: DynamicObject
      /** The pods of a workload that is not ready. */
      readonly pods?: PodsView
    }
  | { readonly state: 'absent' }
  /** It cannot be read. */
  | { readonly state: 'failed'; readonly message: string }
  /** The work may not report on it: its executor may not read it, or it is a Secret of the agent. */
  | { readonly state: 'refused'; readonly message: string }
  /** The manifest does not name its object. */
  | { readonly state: 'unnamed' }

/**
 * Observes the object of a manifest. Undefined while the state is not known: it was just requested, or the cache is
 * older than `atLeast`.
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

/** Like `observe`, for a work that may not report everything. Undefined also until its permissions are known. */
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

/** The `Available` condition of a manifest. */
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
      // The same message whether the object exists or not: that must not be disclosed either.
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

/** The object of a manifest; undefined if the manifest does not name it. */
export function watchedRefOf(meta: ManifestResourceMeta): WatchedRef | undefined {
  const { group = '', version = '', resource = '', namespace = '', name = '' } = meta
  if (version === '' || resource === '' || name === '') return undefined
  return { group, version, resource, namespace, name }
}
