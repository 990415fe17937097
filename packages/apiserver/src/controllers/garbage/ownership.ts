import type { OwnerReference } from '@orrery/kinds'

/** An object with owners. */
export interface Dependent {
  readonly key: string
  readonly namespace: string
  readonly owners: readonly OwnerReference[]
}

interface Owner {
  readonly dependents: Set<Dependent>
  /** The identity under which the owner was last found, so that its next dependent needs no lookup. */
  seenAs: string | undefined
}

/** The dependents by UID of the owner. It contains only objects with owners. */
export class OwnershipGraph {
  readonly #dependents = new Map<string, Dependent>()
  readonly #owners = new Map<string, Owner>()

  get size(): number {
    return this.#dependents.size
  }

  get(key: string): Dependent | undefined {
    return this.#dependents.get(key)
  }

  /** Replaces the owners of an object. */
  put(dependent: Dependent): void {
    this.remove(dependent.key)
    this.#dependents.set(dependent.key, dependent)
    for (const { uid } of dependent.owners) {
      const owner = this.#owners.get(uid) ?? { dependents: new Set(), seenAs: undefined }
      this.#owners.set(uid, owner)
      owner.dependents.add(dependent)
    }
  }

  remove(key: string): void {
    const dependent = this.#dependents.get(key)
    if (dependent === undefined) return
    this.#dependents.delete(key)
    for (const { uid } of dependent.owners) {
      const owner = this.#owners.get(uid)
      owner?.dependents.delete(dependent)
      if (owner?.dependents.size === 0) this.#owners.delete(uid)
    }
  }

  dependentsOf(uid: string): readonly Dependent[] {
    return [...(this.#owners.get(uid)?.dependents ?? [])]
  }

  hasDependents(uid: string): boolean {
    return this.#owners.has(uid)
  }

  /**
   * Returns whether a dependent blocks its owner's deletion. An object in another namespace that names the UID is not a
   * dependent.
   */
  isBlocked(uid: string, ownerNamespace: string): boolean {
    for (const { owners, namespace } of this.#owners.get(uid)?.dependents ?? []) {
      if (ownerNamespace !== '' && namespace !== ownerNamespace) continue
      if (owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)) return true
    }
    return false
  }

  wasSeen(owner: OwnerReference, namespace: string): boolean {
    return this.#owners.get(owner.uid)?.seenAs === coordinates(owner, namespace)
  }

  markSeen(owner: OwnerReference, namespace: string): void {
    const known = this.#owners.get(owner.uid)
    if (known !== undefined) known.seenAs = coordinates(owner, namespace)
  }

  forgetSeen(uid: string): void {
    const known = this.#owners.get(uid)
    if (known !== undefined) known.seenAs = undefined
  }
}

/** Two references with the same UID can differ in kind or name: only one of them can be correct. */
function coordinates({ apiVersion, kind, name }: OwnerReference, namespace: string): string {
  return `${apiVersion}/${kind}/${name}@${namespace}`
}
