import type { Placement } from '@orrery/api'
import { jsonEqual, keyOf } from '@orrery/kinds/values'
import { type Change, isOlder } from '@orrery/kube/informer'
import { type CompiledPlacement, compilePlacement, MANAGED_CLUSTER_SCORE, Misconfigured } from '../scheduling/index.js'

/** A placement and its compiled spec. */
export interface KnownPlacement {
  /** Its newest known version. */
  readonly placement: Placement
  /** Undefined if its spec is invalid. */
  readonly compiled: CompiledPlacement | undefined
  readonly problem: Misconfigured | undefined
}

interface Entry extends KnownPlacement {
  placement: Placement
  compiled: CompiledPlacement | undefined
  problem: Misconfigured | undefined
  /** Where it is in the indexes. */
  readonly keys: readonly string[]
  /** Whether we are writing its status: the informer can show the write before its response arrives. */
  isWriting: boolean
}

/** CEL expressions can read any AddOnPlacementScore. */
const ANY_SCORE = 'scores'

/** The placements, by what they read. The spec of a placement is compiled once. */
export class PlacementIndex {
  readonly #entries = new Map<string, Entry>()
  readonly #indexes = new Map<string, Set<Entry>>()

  get(key: string): KnownPlacement | undefined {
    return this.#entries.get(key)
  }

  all(): Iterable<KnownPlacement> {
    return this.#entries.values()
  }

  /** The placements of a namespace that select from a set, if it is bound there. */
  *using(namespace: string, set: string): Iterable<KnownPlacement> {
    yield* this.#indexes.get(setKey(namespace, set)) ?? []
    yield* this.#indexes.get(setKey(namespace, '')) ?? []
  }

  /** The placements that read one of these scores. */
  *reading(resource: string, names: ReadonlySet<string>): Iterable<KnownPlacement> {
    const found = new Set<KnownPlacement>()
    for (const name of names) for (const one of this.#indexes.get(scoreKey(resource, name)) ?? []) found.add(one)
    if (resource !== MANAGED_CLUSTER_SCORE) for (const one of this.#indexes.get(ANY_SCORE) ?? []) found.add(one)
    yield* found
  }

  /** Changes of the status are our own until `wrote`. */
  writing(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) entry.isWriting = true
  }

  /** The write has ended; undefined if it failed. Returns whether its result is the newest version. */
  wrote(key: string, placement: Placement | undefined): boolean {
    if (placement !== undefined) this.#put(placement)
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    entry.isWriting = false
    return entry.placement.metadata.resourceVersion === placement?.metadata.resourceVersion
  }

  /** A change that an informer shows. Returns the placement, unless the change is a write of our own. */
  changed({ before, after }: Change<Placement>): KnownPlacement | undefined {
    if (after !== undefined) return this.#put(after)
    const key = keyOf((before as Placement).metadata)
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#unlink(entry)
    this.#entries.delete(key)
    return entry
  }

  /** Returns the placement if the version is new. */
  #put(placement: Placement): KnownPlacement | undefined {
    const { uid, generation, resourceVersion } = placement.metadata
    const key = keyOf(placement.metadata)
    const known = this.#entries.get(key)
    const before = known?.placement.metadata
    if (before !== undefined && isOlder(resourceVersion, before.resourceVersion)) return undefined
    if (known === undefined || before?.uid !== uid || before.generation !== generation) {
      if (known !== undefined) this.#unlink(known)
      const entry = compiledEntry(placement)
      this.#entries.set(key, entry)
      for (const index of entry.keys) this.#link(index, entry)
      return entry
    }
    // The object of an informer replaces ours of the same version: it is shared, and smaller.
    known.placement = placement
    if (before.resourceVersion === resourceVersion) return undefined
    return known.isWriting && hasSameMetadata(before, placement.metadata) ? undefined : known
  }

  #link(index: string, entry: Entry): void {
    const entries = this.#indexes.get(index)
    if (entries === undefined) this.#indexes.set(index, new Set([entry]))
    else entries.add(entry)
  }

  #unlink(entry: Entry): void {
    for (const index of entry.keys) {
      const entries = this.#indexes.get(index)
      entries?.delete(entry)
      if (entries?.size === 0) this.#indexes.delete(index)
    }
  }
}

function hasSameMetadata(before: Placement['metadata'], after: Placement['metadata']): boolean {
  return before.deletionTimestamp === after.deletionTimestamp && jsonEqual(before.annotations, after.annotations)
}

function compiledEntry(placement: Placement): Entry {
  const { namespace } = placement.metadata
  const requested = placement.spec?.clusterSets ?? []
  const sets = (requested.length === 0 ? [''] : requested).map((set) => setKey(namespace, set))
  try {
    const compiled = compilePlacement(placement)
    const { scores, celScores } = compiled.reads
    const read = scores.map(({ resource, name }) => scoreKey(resource, name))
    const keys = [...sets, ...read, ...(celScores ? [ANY_SCORE] : [])]
    return { placement, compiled, problem: compiled.problem, keys, isWriting: false }
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    return { placement, compiled: undefined, problem: error, keys: sets, isWriting: false }
  }
}

function setKey(namespace: string, set: string): string {
  return `set/${namespace}/${set}`
}

function scoreKey(resource: string, name: string): string {
  return `score/${resource}/${name}`
}
