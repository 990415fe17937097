import { humanDuration } from '@orrery/kinds/values'
import type { Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'

/** A smaller gap is harmless: certificates are valid from some minutes before they are issued. */
const TELLING_GAP = 60_000

/** The difference between the hub's clock and the local one, from the `Date` header of responses. */
export class HubTime {
  readonly #clock: Clock
  #gap: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Observes the responses of a transport. */
  heardOver(transport: Transport): Transport {
    return {
      request: async (request) => {
        const start = this.#startOfClock()
        const response = await transport.request(request)
        const time = Date.parse(String(response.headers.date))
        // If the local clock was set meanwhile, the header may be from before that.
        const wasSet = Math.abs(this.#startOfClock() - start) >= TELLING_GAP
        if (!Number.isNaN(time) && !wasSet) this.#gap = time - this.#clock.now().getTime()
        return response
      },
      close: () => transport.close?.(),
    }
  }

  /** The local time when nothing had elapsed: it changes only when the clock is set. */
  #startOfClock(): number {
    return this.#clock.now().getTime() - this.#clock.elapsed()
  }

  /** The time of the hub at this local time. The same while the difference is not known. */
  at(now: Date): Date {
    return new Date(now.getTime() + (this.#gap ?? 0))
  }

  /** The problem with the local clock; undefined while it agrees with the hub's. */
  get problem(): string | undefined {
    if (this.#gap === undefined || Math.abs(this.#gap) < TELLING_GAP) return undefined
    const gap = humanDuration(Math.abs(this.#gap))
    return `the clock of this cluster is ${gap} ${this.#gap < 0 ? 'ahead of' : 'behind'} the hub's: set it`
  }
}
