import { Slots } from '../../transport/slots.js'
import { MaestroError } from '../errors.js'

/** Lists that are sent at the same time. Each holds a few parts in memory. */
const MAX_LISTS = 32
/** Lists of one user. It can read them as slowly as it likes: its other lists wait for them, and those of others do not. */
const MAX_LISTS_OF_USER = 8
const MAX_WAITING_OF_USER = 256

interface User {
  readonly slots: Slots
  lists: number
}

/** Limits the lists that are sent at the same time. */
export class ListLimit {
  readonly #users = new Map<string, User>()
  #lists = 0

  /**
   * Sends a list when the user may have another one. Rejects with a 503 if there are too many.
   * @param name Undefined if users are not known.
   */
  async run(name: string | undefined, send: () => Promise<void>): Promise<void> {
    if (name === undefined) return this.#counted(send)
    const user = this.#users.get(name) ?? { slots: new Slots(MAX_LISTS_OF_USER), lists: 0 }
    if (user.lists >= MAX_WAITING_OF_USER) throw unavailable(`${MAX_WAITING_OF_USER} lists of one user wait`)
    this.#users.set(name, user)
    user.lists++
    try {
      await user.slots.run(undefined, () => this.#counted(send))
    } finally {
      user.lists--
      if (user.lists === 0) this.#users.delete(name)
    }
  }

  async #counted(send: () => Promise<void>): Promise<void> {
    if (this.#lists >= MAX_LISTS) throw unavailable(`more than ${MAX_LISTS} lists at a time`)
    this.#lists++
    try {
      await send()
    } finally {
      this.#lists--
    }
  }
}

function unavailable(why: string): MaestroError {
  return new MaestroError('Unavailable', why)
}
