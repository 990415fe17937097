import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { isAlreadyExists, isConflict, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { DynamicObject } from '@orrery/kube/discovery'
import type { PlannedManifest } from '../plan/manifest.js'
import { namespacedRef } from '../watched/entry.js'

/** One manifest about to be applied. */
export interface ApplyRequest {
  readonly manifest: PlannedManifest
  /** What the manifest asks for, without what only servers say. Must not be changed. */
  readonly desired: KubeObject
  /** Who owns the object, if the work is to own it. */
  readonly owner: OwnerReference
  /** The object as it is known; undefined also when it is not known. */
  readonly current: DynamicObject | undefined
  /** Whether it is known if the object is there. */
  readonly isKnown: boolean
  readonly client: KubeClient
  readonly signal: AbortSignal
  /** Called before the object is deleted to be made anew. Throws when that is not allowed. */
  readonly checkDelete: () => Promise<void>
  /** Whether nothing is written: the result is what writing would have led to. Default false. */
  readonly dryRun?: boolean
}

export interface Steps {
  readonly create: () => Promise<DynamicObject>
  /** Makes of the object what it is to be. No request when it is so. */
  readonly change: (current: DynamicObject) => Promise<DynamicObject>
}

/** How often an object is read anew when others write it at the same time, or what is known of it is out of date. */
const TRIES = 5

/** Creates or changes the object, whichever it turns out to need: what is known of it may be out of date. */
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
