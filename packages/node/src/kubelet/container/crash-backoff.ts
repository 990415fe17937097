/** The first back-off delay; each further delay is twice as long. */
const FIRST = 10_000
const LONGEST = 300_000
/** A container that ran this long resets its back-off. */
const FORGIVEN = 2 * LONGEST

/**
 * The restart back-off of a container (`CrashLoopBackOff`), with the kubelet's values: no delay for the first restart,
 * then 10 s, 20 s, 40 s … up to 5 min.
 */
export class CrashBackoff {
  #wait = 0
  #since = 0

  /** The current delay in milliseconds; 0 if there is none. */
  get milliseconds(): number {
    return this.#wait
  }

  /** Returns when a container that finished at a time may restart, in milliseconds since 1970. */
  dueAfter(finishedAt: number): number {
    return finishedAt - this.#since > FORGIVEN ? finishedAt : finishedAt + this.#wait
  }

  /** Records a restart. */
  restarted(finishedAt: number, now: number): void {
    const forgiven = finishedAt - this.#since > FORGIVEN
    this.#wait = forgiven || this.#wait === 0 ? FIRST : Math.min(this.#wait * 2, LONGEST)
    this.#since = now
  }
}
