import type { Resource } from '../resource.js'
import type { KindLogic } from './kindlogic.js'

/** Everything that is served as a resource right now. Custom resources come and go with their CRDs. */
export class Catalog {
  private readonly logics = new Map<string, KindLogic>()
  private readonly customs = new Map<string, readonly string[]>()
  private readonly listeners = new Set<() => void>()
  private all: readonly Resource[] | undefined

  constructor(builtin: readonly KindLogic[]) {
    for (const logic of builtin)
      this.logics.set(keyOf(logic.resource.group, logic.resource.version, logic.resource.plural), logic)
  }

  lookup(group: string, version: string, plural: string): KindLogic | undefined {
    return this.logics.get(keyOf(group, version, plural))
  }

  /** The first version of a kind that is served; undefined when none is. */
  ofKind(group: string, kind: string, version?: string): KindLogic | undefined {
    for (const logic of this.logics.values()) {
      const { resource } = logic
      if (resource.group === group && resource.kind === kind && (version === undefined || resource.version === version))
        return logic
    }
    return undefined
  }

  /** A resource at the version in which its objects are stored, or at another one when that is not served. */
  stored(group: string, plural: string): KindLogic | undefined {
    let served: KindLogic | undefined
    for (const logic of this.logics.values()) {
      const { resource } = logic
      if (resource.group !== group || resource.plural !== plural) continue
      if (resource.version === resource.storage.version) return logic
      served ??= logic
    }
    return served
  }

  hasGroupVersion(group: string, version: string): boolean {
    return this.resources().some((resource) => resource.group === group && resource.version === version)
  }

  /** All resources at all versions. The same array until something changes. */
  resources(): readonly Resource[] {
    this.all ??= [...this.logics.values()].map((logic) => logic.resource)
    return this.all
  }

  /** Serves these versions for a CRD and no others. An empty list stops serving it. */
  setCustom(crdName: string, logics: readonly KindLogic[]): void {
    for (const key of this.customs.get(crdName) ?? []) this.logics.delete(key)
    const keys: string[] = []
    for (const logic of logics) {
      const key = keyOf(logic.resource.group, logic.resource.version, logic.resource.plural)
      this.logics.set(key, logic)
      keys.push(key)
    }
    if (keys.length === 0) this.customs.delete(crdName)
    else this.customs.set(crdName, keys)
    this.all = undefined
    for (const listener of this.listeners) listener()
  }

  /** Calls back after every change. Returns the way to stop. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`
}
