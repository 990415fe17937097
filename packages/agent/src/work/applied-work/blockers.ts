import type { AppliedResource } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'

/** An object of a work that still exists though it is being deleted. */
export interface Blocker {
  readonly resource: AppliedResource
  /**
   * The reason, if it is known. It comes from the object, so a work that may not read the object must not report it.
   */
  readonly why?: string
}

const NONE: readonly Blocker[] = []

/** The objects that block the deletion of works, by AppliedManifestWork. */
export class Blockers {
  readonly #byName = new Map<string, readonly Blocker[]>()
  readonly #listeners = new Set<(name: string) => void>()

  get(name: string): readonly Blocker[] {
    return this.#byName.get(name) ?? NONE
  }

  /** Sets the blockers; an empty list clears them. */
  set(name: string, blockers: readonly Blocker[]): void {
    if (jsonEqual(this.get(name), blockers)) return
    if (blockers.length === 0) this.#byName.delete(name)
    else this.#byName.set(name, blockers)
    for (const listener of this.#listeners) listener(name)
  }

  subscribe(onChange: (name: string) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }
}
