/** What keeps objects of works from being gone, by AppliedManifestWork, for those who tell the hub. */
export class Blockers {
  readonly #byName = new Map<string, string>()
  readonly #listeners = new Set<(name: string) => void>()

  get(name: string): string | undefined {
    return this.#byName.get(name)
  }

  /** Undefined when nothing does any more. */
  set(name: string, what: string | undefined): void {
    if (this.#byName.get(name) === what) return
    if (what === undefined) this.#byName.delete(name)
    else this.#byName.set(name, what)
    for (const listener of this.#listeners) listener(name)
  }

  subscribe(onChange: (name: string) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }
}
