import { humanDuration } from '@orrery/kinds/values'
import type { Transport } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'

/** Less is no matter: certificates are good from some minutes before they are issued. */
const TELLING_GAP = 60_000

/** How the clock of a hub differs from the one here, by what the hub says with its answers. */
export class HubTime {
  readonly #clock: Clock
  #gap: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Listens to what a transport brings. */
  heardOver(transport: Transport): Transport {
    return {
      request: async (request) => {
        const response = await transport.request(request)
        const time = Date.parse(String(response.headers.date))
        if (!Number.isNaN(time)) this.#gap = time - this.#clock.now().getTime()
        return response
      },
      close: () => transport.close?.(),
    }
  }

  /** What a time here is on the hub: the same while nothing else is known. */
  at(now: Date): Date {
    return new Date(now.getTime() + (this.#gap ?? 0))
  }

  /** What is wrong with the clock here, in words; undefined when it goes with the hub's. */
  get problem(): string | undefined {
    if (this.#gap === undefined || Math.abs(this.#gap) < TELLING_GAP) return undefined
    const gap = humanDuration(Math.abs(this.#gap))
    return `the clock of this cluster is ${gap} ${this.#gap < 0 ? 'ahead of' : 'behind'} the hub's: set it`
  }
}
