import type { Resource } from '../kinds/resource.js'
import type { KindLogic } from './kind-logic.js'

/** The resources that are served now. Custom resources change with their CRDs. */
export class Catalog {
  readonly #logics = new Map<string, KindLogic>()
  /** By group and plural: the built-in resources, whatever CRDs exist. */
  readonly #builtin: ReadonlySet<string>
  /** By group and plural: the storage version, or another if that is not served. */
  readonly #stored = new Map<string, KindLogic>()
  /** By name of the CRD. */
  readonly #customs = new Map<string, readonly KindLogic[]>()
  readonly #listeners = new Set<() => void>()
  #all: readonly Resource[] | undefined

  constructor(builtin: readonly KindLogic[]) {
    this.#builtin = new Set(builtin.map(({ resource }) => storedKey(resource.group, resource.plural)))
    this.#add(builtin)
  }

  lookup(group: string, version: string, plural: string): KindLogic | undefined {
    return this.#logics.get(keyOf(group, version, plural))
  }

  /** Returns the first served version of a kind; undefined if there is none. */
  ofKind(group: string, kind: string, version?: string): KindLogic | undefined {
    for (const logic of this.#logics.values()) {
      const { resource } = logic
      if (resource.group === group && resource.kind === kind && (version === undefined || resource.version === version))
        return logic
    }
    return undefined
  }

  /** Returns a resource at its storage version, or at another if that is not served. */
  stored(group: string, plural: string): KindLogic | undefined {
    return this.#stored.get(storedKey(group, plural))
  }

  /** Returns whether a resource is built-in: no CRD can define it. */
  isBuiltin(group: string, plural: string): boolean {
    return this.#builtin.has(storedKey(group, plural))
  }

  /** Returns all resources at all versions. The same array until something changes. */
  resources(): readonly Resource[] {
    this.#all ??= [...this.#logics.values()].map((logic) => logic.resource)
    return this.#all
  }

  /** Serves exactly these versions of a CRD. An empty list stops serving it. */
  setCustom(crdName: string, logics: readonly KindLogic[]): void {
    for (const { resource } of this.#customs.get(crdName) ?? []) {
      this.#logics.delete(keyOf(resource.group, resource.version, resource.plural))
      this.#stored.delete(storedKey(resource.group, resource.plural))
    }
    this.#add(logics)
    if (logics.length === 0) this.#customs.delete(crdName)
    else this.#customs.set(crdName, logics)
    this.#all = undefined
    for (const listener of this.#listeners) listener()
  }

  /** Calls back after every change. Returns a function that stops it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #add(logics: readonly KindLogic[]): void {
    for (const logic of logics) {
      const { group, version, plural, storage } = logic.resource
      this.#logics.set(keyOf(group, version, plural), logic)
      const key = storedKey(group, plural)
      if (version === storage.version || !this.#stored.has(key)) this.#stored.set(key, logic)
    }
  }
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`
}

function storedKey(group: string, plural: string): string {
  return `${group}/${plural}`
}
