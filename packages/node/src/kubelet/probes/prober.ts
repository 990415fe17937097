import type { Probe } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import type { Check } from './check.js'

export interface ProberOptions {
  readonly clock: Clock
  readonly probe: Probe
  readonly check: Check
  /** The result before a threshold is reached. */
  readonly initially: boolean
  /** The start time of the container, in the clock's elapsed time. */
  readonly startedAt: number
  /** Called when the result of the probe changes. */
  readonly onChange: (healthy: boolean) => void
  /** Called when one attempt fails. */
  readonly onFailure: (message: string) => void
}

const MILLISECONDS = 1_000

/** Runs one probe periodically until it is stopped. */
export class Prober {
  readonly #options: ProberOptions
  #healthy: boolean
  #count = 0
  #last: boolean | undefined
  #cancel: (() => void) | undefined
  #check: AbortController | undefined
  #stopped = false

  constructor(options: ProberOptions) {
    this.#options = options
    this.#healthy = options.initially
    const { clock, probe, startedAt } = options
    const due = startedAt + (probe.initialDelaySeconds ?? 0) * MILLISECONDS
    this.#schedule(Math.max(0, due - clock.elapsed()))
  }

  get healthy(): boolean {
    return this.#healthy
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#check?.abort()
  }

  #schedule(milliseconds: number): void {
    this.#cancel = this.#options.clock.after(milliseconds, () => void this.#probe())
  }

  async #probe(): Promise<void> {
    const { clock, probe, check, onFailure } = this.#options
    const limit = new AbortController()
    this.#check = limit
    let cancelLimit: (() => void) | undefined
    const { ok, message } = await check(() => {
      cancelLimit = clock.after((probe.timeoutSeconds ?? 1) * MILLISECONDS, () => limit.abort())
      return limit.signal
    })
    cancelLimit?.()
    if (this.#stopped) return
    if (!ok) onFailure(message)
    this.#take(ok)
    // The callback may have stopped the probe.
    if (!this.#stopped) this.#schedule((probe.periodSeconds ?? 10) * MILLISECONDS)
  }

  #take(ok: boolean): void {
    const { probe, onChange } = this.#options
    this.#count = ok === this.#last ? this.#count + 1 : 1
    this.#last = ok
    const threshold = ok ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3)
    if (this.#count < threshold) return
    const isNews = ok !== this.#healthy || this.#count === threshold
    this.#healthy = ok
    if (isNews) onChange(ok)
  }
}
