import { Slots } from '../../transport/slots.js'
import { MaestroError } from '../errors.js'

/** Answers that are sent at the same time. Each has what it read of the database in memory. */
const RUNNING = 4
/** What the requests list that are being answered or wait, in memory until subscribers have read the answers. */
const MAX_ENTRIES = 500_000
/** What a request takes even if it lists nothing. */
const ENTRIES_OF_REQUEST = 1_000

interface Turns {
  readonly slots: Slots
  entries: number
}

/**
 * Answers the resync requests of a source or a cluster, a few at a time. A client that requests and does not read waits for
 * itself, and takes no memory without limit.
 */
export class ResyncTurns {
  readonly #bySubject = new Map<string, Turns>()

  /** Rejects with `MaestroError` if too much waits. */
  async run(subject: string, entries: number, answer: () => Promise<void>): Promise<void> {
    const turns = this.#bySubject.get(subject) ?? { slots: new Slots(RUNNING), entries: 0 }
    const size = entries + ENTRIES_OF_REQUEST
    if (turns.entries > 0 && turns.entries + size > MAX_ENTRIES) {
      throw new MaestroError('Unavailable', 'too many resync requests wait for an answer: retry later')
    }
    this.#bySubject.set(subject, turns)
    turns.entries += size
    try {
      await turns.slots.run(undefined, answer)
    } finally {
      turns.entries -= size
      if (turns.entries === 0) this.#bySubject.delete(subject)
    }
  }
}
