import type { Clock } from '@orrery/kube/clock'

/** A request that waits for a change in its zone. */
export interface ZoneWait {
  /** Resolves at the next change since the wait was added, after a time, or when the signal is aborted. */
  until(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void>
  end(): void
}

/** The requests that wait for operations, by zone. */
export class ZoneWaiters {
  readonly #zones = new Map<string, Set<() => void>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(zone: string): ZoneWait {
    let release: () => void = () => undefined
    const woken = new Promise<void>((resolve) => {
      release = resolve
    })
    const waiting = this.#zones.get(zone) ?? new Set()
    this.#zones.set(zone, waiting.add(release))
    this.#size++
    return {
      async until(clock, milliseconds, signal) {
        if (signal.aborted) return
        signal.addEventListener('abort', release, { once: true })
        const cancel = Number.isFinite(milliseconds) ? clock.after(milliseconds, release) : () => undefined
        await woken
        cancel()
        signal.removeEventListener('abort', release)
      },
      end: () => {
        if (!waiting.delete(release)) return
        this.#size--
        if (waiting.size === 0 && this.#zones.get(zone) === waiting) this.#zones.delete(zone)
      },
    }
  }

  wake(zone: string): void {
    for (const release of this.#zones.get(zone) ?? []) release()
  }

  wakeAll(): void {
    for (const zone of this.#zones.keys()) this.wake(zone)
  }
}
