/** The first wait of a container that ends again and again; each is twice the one before. */
const FIRST = 10_000
const LONGEST = 300_000
/** A container that ran this long is not in a loop. */
const FORGIVEN = 2 * LONGEST

/**
 * How long a container that ended waits before it runs again. The first time not at all; then 10 s after its end, 20 s,
 * 40 s …, 5 min at most, as a kubelet has it.
 */
export class CrashBackoff {
  #wait = 0
  #since = 0

  /** The wait that holds now, in milliseconds; 0 when none does. */
  get milliseconds(): number {
    return this.#wait
  }

  /** When a container that ended at a time may start again, in milliseconds since 1970. */
  dueAfter(finishedAt: number): number {
    return finishedAt - this.#since > FORGIVEN ? finishedAt : finishedAt + this.#wait
  }

  /** Takes down that the container starts again. */
  restarted(finishedAt: number, now: number): void {
    const forgiven = finishedAt - this.#since > FORGIVEN
    this.#wait = forgiven || this.#wait === 0 ? FIRST : Math.min(this.#wait * 2, LONGEST)
    this.#since = now
  }
}
