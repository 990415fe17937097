import { jsonEqual } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'

/** When the reported status of objects last changed. Their objects change far more often than what is reported. */
export class ChangeTimes<T extends object> {
  readonly #clock: Clock
  readonly #known = new Map<string, { readonly status: T; readonly changedAt: string }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Notes the status of an object; undefined if it is gone. Returns whether it differs from the last one. */
  note(key: string, status: T | undefined): boolean {
    const before = this.#known.get(key)
    if (status === undefined) return this.#known.delete(key)
    if (before !== undefined && jsonEqual(before.status, status)) return false
    this.#known.set(key, { status, changedAt: this.#clock.now().toISOString() })
    return true
  }

  /** When the status changed; now, if it was never noted. */
  of(key: string): string {
    return this.#known.get(key)?.changedAt ?? this.#clock.now().toISOString()
  }
}
