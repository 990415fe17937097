import { badRequest } from '@orrery/kinds/values'

/** The default limit of the bytes of all lists that are being rendered. */
const LIMIT_BYTES = 128 * 1024 * 1024
/** Lists up to this size never wait, so that large ones of one user do not hold up small ones of others. */
const SMALL_BYTES = 1024 * 1024

/** The client of a list. */
export interface ListClient {
  /** Calls back when the client has gone, immediately if it already has. */
  onClose(callback: () => void): void
}

/** A list that is being rendered. */
export interface RenderedList {
  /**
   * Called after each rendered item. If it returns a promise, rendering continues when it resolves. Throws or rejects if
   * the client has gone.
   */
  grew(bytes: number): void | Promise<void>
  /** Called when the list is complete, or has failed. */
  end(): void
}

/**
 * The memory of lists that are being rendered. Beyond the limit, only the oldest of them continues, and the others wait
 * until it is complete: lists of one namespace can be larger than the memory if all of them are rendered at once.
 */
export class ListMemory {
  readonly #limit: number
  readonly #small: number
  /** Large lists, oldest first. */
  readonly #large = new Set<RenderedList>()
  #waiting: (() => void)[] = []
  #bytes = 0

  constructor(limit = LIMIT_BYTES, small = SMALL_BYTES) {
    this.#limit = limit
    this.#small = small
  }

  begin(client: ListClient): RenderedList {
    let size = 0
    let isGone = false
    const mustWait = () => this.#bytes > this.#limit && !isGone && !this.#isOldest(list)
    const requireClient = () => {
      if (isGone) throw badRequest('the client disconnected before the list was complete')
    }
    const waitForOthers = async () => {
      while (mustWait()) await new Promise<void>((resolve) => void this.#waiting.push(resolve))
      requireClient()
    }
    const list: RenderedList = {
      grew: (bytes) => {
        size += bytes
        this.#bytes += bytes
        if (size <= this.#small) return undefined
        if (!this.#large.has(list)) {
          this.#large.add(list)
          client.onClose(() => {
            isGone = true
            this.#wake()
          })
        }
        requireClient()
        return mustWait() ? waitForOthers() : undefined
      },
      end: () => {
        this.#bytes -= size
        if (this.#large.delete(list)) this.#wake()
      },
    }
    return list
  }

  #isOldest(list: RenderedList): boolean {
    const [oldest] = this.#large
    return oldest === list
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}

/** One for the process, since its memory is shared. */
export const listMemory = new ListMemory()
