import { type ManifestResourceMeta, ManifestWork } from '@orrery/api'
import type { ApiObject, ObjectRef } from '@orrery/kinds'
import { jsonEqual, keyOf, refOf } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'

/** What came of applying one manifest: the `Applied` condition it is to have. */
export interface ManifestOutcome {
  /** As much of it as could be told. */
  readonly resourceMeta: ManifestResourceMeta
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
  /**
   * `metadata.resourceVersion` of the object as applying left it, where applying has read or written it: whoever reports
   * waits until the watch is that far, so that an old state is not taken for the new one.
   */
  readonly resourceVersion?: string
}

/** What came of applying a work. */
export interface WorkOutcome {
  /** The uid of the work. */
  readonly uid: string
  /** `metadata.generation` of the work that was applied. */
  readonly generation: number
  /** One for each manifest, in the order of the work. */
  readonly manifests: readonly ManifestOutcome[]
}

/**
 * What came of applying works, by work: written by those that apply, read by those that report. A work without an outcome
 * was not looked at since the start: what its status says stands.
 */
export class Outcomes {
  readonly #byWork = new Map<string, WorkOutcome>()
  readonly #listeners = new Set<(ref: ObjectRef) => void>()

  get(work: ObjectRef): WorkOutcome | undefined {
    return this.#byWork.get(keyOf(work))
  }

  /** Wakes those that report when the outcome is another than before. */
  set(work: ObjectRef, outcome: WorkOutcome): void {
    const key = keyOf(work)
    if (jsonEqual(this.#byWork.get(key), outcome)) return
    this.#byWork.set(key, outcome)
    for (const listener of this.#listeners) listener(work)
  }

  delete(work: ObjectRef): void {
    this.#byWork.delete(keyOf(work))
  }

  /** Wakes a controller for each work whose outcome changes. The informer is the one of works. */
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
