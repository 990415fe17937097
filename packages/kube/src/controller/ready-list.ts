import { FairList, type Flowing } from '../fair/fair-list.js'

/** Fresh work comes first; a resync is for objects that were seen before, or are listed at a start. */
export type Urgency = 'fresh' | 'resync'

interface Ready<T> extends Flowing<T> {
  readonly urgency: Urgency
}

/** So many fresh members are taken for each one of a resync that waits. */
const FRESH_FOR_ONE_RESYNC = 16

/**
 * Members that are ready to be taken, fresh ones first. A flow with many changes does not keep those of a resync from ever being
 * taken.
 */
export class ReadyList<T extends Ready<T>> {
  readonly #lists: Readonly<Record<Urgency, FairList<T>>> = { fresh: new FairList(), resync: new FairList() }
  /** How many fresh members were taken while one of a resync waited. */
  #freshInARow = 0

  get size(): number {
    return this.depth('fresh') + this.depth('resync')
  }

  depth(urgency: Urgency): number {
    return this.#lists[urgency].size
  }

  get first(): T | undefined {
    return this.#lists.fresh.first ?? this.#lists.resync.first
  }

  append(member: T): void {
    this.#lists[member.urgency].append(member)
  }

  /** Its urgency must be that of when it was appended. */
  remove(member: T): void {
    this.#lists[member.urgency].remove(member)
  }

  /** Removes the next member of an admitted flow. */
  take(admits: (flow: string) => boolean): T | undefined {
    const { fresh, resync } = this.#lists
    const isOneOfResyncDue = this.#freshInARow >= FRESH_FOR_ONE_RESYNC
    const member = (isOneOfResyncDue ? resync.take(admits) : undefined) ?? fresh.take(admits) ?? resync.take(admits)
    if (member !== undefined) {
      this.#freshInARow = member.urgency === 'fresh' && resync.size > 0 ? this.#freshInARow + 1 : 0
    }
    return member
  }
}
