import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { isAlreadyExists, isConflict, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { PlannedManifest } from '../plan/manifest.js'
import { namespacedRef } from '../watched/entry.js'

/** A manifest to apply. */
export interface ApplyRequest {
  readonly manifest: PlannedManifest
  /** The manifest without fields that only servers set. Must not be changed. */
  readonly desired: KubeObject
  /** The owner reference, if the work owns the object. */
  readonly owner: OwnerReference
  /** The object in the cache; undefined also if the cache does not cover it. */
  readonly current: DynamicObject | undefined
  /** Whether the cache covers the object. */
  readonly isKnown: boolean
  readonly client: KubeClient
  readonly signal: AbortSignal
  /** Called before the object is deleted to be recreated. Throws if that is not allowed. */
  readonly checkDelete: () => Promise<void>
  /** Whether this is a dry run: the result is the object as it would be. Default false. */
  readonly dryRun?: boolean
}

export interface Steps {
  readonly create: () => Promise<DynamicObject>
  /** Changes an existing object to the desired state. Sends no request if nothing changes. */
  readonly change: (current: DynamicObject) => Promise<DynamicObject>
}

/** How often an object is read again when others write it at the same time, or the cache is stale. */
const TRIES = 5

/** Creates or changes the object. The cache may be stale: on a conflict it reads the object and tries again. */
export async function converge(request: ApplyRequest, { create, change }: Steps): Promise<DynamicObject> {
  const { manifest, client, signal } = request
  let { current, isKnown } = request
  for (let attempt = 1; ; attempt++) {
    if (!isKnown) current = await client.find(manifest.kind, namespacedRef(manifest.ref), { signal })
    try {
      return current === undefined ? await create() : await change(current)
    } catch (error) {
      const isOutdated = current === undefined ? isAlreadyExists(error) : isConflict(error) || isNotFound(error)
      if (!isOutdated || attempt >= TRIES) throw error
      isKnown = false
    }
  }
}
