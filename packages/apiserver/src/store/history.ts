import { UnreadEntry } from './entry.js'
import { Queue } from './queue.js'
import { type Change, type ChangeScope, type Entry, RevisionCompacted } from './types.js'

/** Reads one version of an object from the log. */
export type ReadVersion = (revision: number) => Entry

/**
 * One change of the history. Its entries are in memory while `change` is set; afterwards they are read from the log.
 */
export interface Step {
  readonly type: Change['type']
  readonly revision: number
  readonly bucket: string
  readonly namespace: string
  readonly name: string
  /** The revision of the previous version; 0 for ADDED. */
  readonly previous: number
  change: Change | undefined
}

/**
 * The changes since the compacted revision, for watches that resume and for lists that continue. The newest keep their
 * entries in memory, up to a number of bytes; older ones are read from the log on demand.
 */
export class History {
  readonly #steps = new Queue<Step>()
  readonly #byBucket = new Map<string, Queue<Step>>()
  readonly #warmLimit: number
  readonly #read: ReadVersion
  /** Changes in memory, oldest first, and the bytes that only they keep in memory. */
  readonly #warm = new Queue<Step>()
  #warmBytes = 0
  #compacted: number

  constructor(compacted: number, warmLimit: number, read: ReadVersion) {
    this.#compacted = compacted
    this.#warmLimit = warmLimit
    this.#read = read
  }

  get compacted(): number {
    return this.#compacted
  }

  get length(): number {
    return this.#steps.length
  }

  add(change: Change): void {
    const { bucket, namespace, name } = change.entry
    const previous = change.previous?.revision ?? 0
    const step: Step = { type: change.type, revision: change.revision, bucket, namespace, name, previous, change }
    this.#remember(step)
    this.#warm.push(step)
    this.#warmBytes += supersededBytes(change)
    while (this.#warmBytes > this.#warmLimit) this.#cool()
  }

  /** Adds a change from before this process started: its entries stay in the log. */
  addCold(type: Change['type'], entry: Entry, previous: number): void {
    const { bucket, namespace, name, revision } = entry
    this.#remember({ type, revision, bucket, namespace, name, previous, change: undefined })
  }

  /** Each change is read when it is asked for: old ones are on disk, and all together can be larger than the memory. */
  since(bucket: string, revision: number, scope: ChangeScope = {}): Iterable<Change> {
    if (revision < this.#compacted) throw new RevisionCompacted(revision, this.#compacted)
    return this.#readSince(bucket, revision, scope)
  }

  /** Returns the first change after a revision for each object that changed, by namespace and name. */
  firstChangesSince(bucket: string, revision: number): Map<string, Map<string, Step>> {
    if (revision < this.#compacted) throw new RevisionCompacted(revision, this.#compacted)
    const changed = new Map<string, Map<string, Step>>()
    const steps = this.#byBucket.get(bucket)
    if (steps === undefined) return changed
    for (let at = steps.search((step) => step.revision > revision); at < steps.length; at++) {
      const step = steps.at(at) as Step
      const names = changed.get(step.namespace)
      if (names === undefined) changed.set(step.namespace, new Map([[step.name, step]]))
      else if (!names.has(step.name)) names.set(step.name, step)
    }
    return changed
  }

  /**
   * Returns the object before a change, if there was one. It is read when it is asked for its contents, and then throws
   * `RevisionCompacted` if the change was compacted meanwhile.
   */
  before(step: Step): Entry | undefined {
    return step.previous === 0 ? undefined : new UnreadEntry(step, step.previous, () => this.#previous(step) as Entry)
  }

  /** Returns the revision to compact to so that at most `count` changes are left. */
  revisionLeaving(count: number): number {
    const surplus = this.#steps.length - count
    return surplus > 0 ? (this.#steps.at(surplus - 1) as Step).revision : 0
  }

  /** Makes history up to a revision inaccessible. `sweep` then removes it gradually. */
  compact(revision: number): void {
    this.#compacted = Math.max(this.#compacted, revision)
  }

  /** Removes at most `limit` inaccessible changes and returns the log records that are no longer needed. */
  sweep(limit: number): number[] {
    const records: number[] = []
    for (let count = 0; count < limit; count++) {
      const step = this.#steps.at(0)
      if (step === undefined || step.revision > this.#compacted) break
      this.#forgetFirst(step)
      if (step.previous !== 0) records.push(step.previous)
      if (step.type === 'DELETED') records.push(step.revision)
    }
    return records
  }

  /** Whether `sweep` has work to do. */
  get unswept(): boolean {
    const first = this.#steps.at(0)
    return first !== undefined && first.revision <= this.#compacted
  }

  *#readSince(bucket: string, revision: number, { namespace, name }: ChangeScope): Generator<Change> {
    const steps = this.#byBucket.get(bucket)
    if (steps === undefined) return
    for (let at = steps.search((step) => step.revision > revision); at < steps.length; at++) {
      const step = steps.at(at) as Step
      const isWanted =
        (namespace === undefined || namespace === step.namespace) && (name === undefined || name === step.name)
      if (isWanted) yield this.#change(step)
    }
  }

  #remember(step: Step): void {
    this.#steps.push(step)
    let steps = this.#byBucket.get(step.bucket)
    if (steps === undefined) {
      steps = new Queue()
      this.#byBucket.set(step.bucket, steps)
    }
    steps.push(step)
  }

  #forgetFirst(step: Step): void {
    this.#steps.shift()
    const steps = this.#byBucket.get(step.bucket)
    steps?.shift()
    if (steps?.length === 0) this.#byBucket.delete(step.bucket)
    if (this.#warm.at(0) === step) this.#cool()
  }

  #cool(): void {
    const step = this.#warm.shift()
    if (step?.change === undefined) return
    this.#warmBytes -= supersededBytes(step.change)
    step.change = undefined
  }

  #change(step: Step): Change {
    if (step.change !== undefined) return step.change
    const { type, revision } = step
    return { type, revision, entry: this.#read(revision), previous: this.#previous(step) }
  }

  #previous(step: Step): Entry | undefined {
    if (step.change !== undefined) return step.change.previous
    if (step.revision <= this.#compacted) throw new RevisionCompacted(step.revision - 1, this.#compacted)
    return step.previous === 0 ? undefined : this.#read(step.previous)
  }
}

/** Returns the bytes that only this change keeps in memory: the current version of an object is there anyway. */
function supersededBytes(change: Change): number {
  const final = change.type === 'DELETED' ? change.entry.bytes.length : 0
  return final + (change.previous?.bytes.length ?? 0)
}
