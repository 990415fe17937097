import { type ManifestResourceMeta, ManifestWork } from '@orrery/api'
import type { ApiObject, ObjectRef } from '@orrery/kinds'
import { jsonEqual, keyOf, refOf } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'

/** The result of applying one manifest: its `Applied` condition. */
export interface ManifestOutcome {
  /** As far as it is known. */
  readonly resourceMeta: ManifestResourceMeta
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  /**
   * `metadata.resourceVersion` of the object after the apply, if the apply has read or written it. The status waits
   * until the watch has this version, so that it does not report a stale state.
   */
  readonly resourceVersion?: string
}

/** The result of applying a work. */
export interface WorkOutcome {
  /** The uid of the work. */
  readonly uid: string
  /** `metadata.generation` of the work that was applied. */
  readonly generation: number
  /** One for each manifest, in the order of the work. */
  readonly manifests: readonly ManifestOutcome[]
}

/**
 * The results of applying works: the applier writes them, the status controller reads them. A work without an outcome
 * was not applied since the start: its status stays.
 */
export class Outcomes {
  readonly #byWork = new Map<string, WorkOutcome>()
  readonly #listeners = new Set<(ref: ObjectRef) => void>()

  get(work: ObjectRef): WorkOutcome | undefined {
    return this.#byWork.get(keyOf(work))
  }

  /** Wakes the status controller if the outcome differs from the last one. */
  set(work: ObjectRef, outcome: WorkOutcome): void {
    const key = keyOf(work)
    if (jsonEqual(this.#byWork.get(key), outcome)) return
    this.#byWork.set(key, outcome)
    for (const listener of this.#listeners) listener(work)
  }

  delete(work: ObjectRef): void {
    this.#byWork.delete(keyOf(work))
  }

  /** Wakes a controller for each work whose outcome changes. `works` is the informer of works. */
  wake<T extends ApiObject>(works: Informer<T>): Wake {
    return {
      informer: works as unknown as Informer,
      target: ManifestWork,
      start: (enqueue) => {
        const listener = (ref: ObjectRef) => enqueue(ref, 'fresh')
        for (const key of this.#byWork.keys()) enqueue(refOf(key), 'resync')
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
      },
      resync: (enqueue) => {
        for (const key of this.#byWork.keys()) enqueue(refOf(key), 'resync')
      },
    }
  }
}
