import type { AppliedResource } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'

/** An object of a work that is still there though it is to be gone. */
export interface Blocker {
  readonly resource: AppliedResource
  /** What keeps it, where that is known. It comes from the object or about it: not every work may report it. */
  readonly why?: string
}

const NONE: readonly Blocker[] = []

/** What keeps objects of works from being gone, by AppliedManifestWork, for those who tell the hub. */
export class Blockers {
  readonly #byName = new Map<string, readonly Blocker[]>()
  readonly #listeners = new Set<(name: string) => void>()

  get(name: string): readonly Blocker[] {
    return this.#byName.get(name) ?? NONE
  }

  /** Empty when nothing does any more. */
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
