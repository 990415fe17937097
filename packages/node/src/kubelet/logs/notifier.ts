/** Notifies all waiters. */
export class Notifier {
  readonly #waiting = new Set<() => void>()

  notify(): void {
    for (const done of [...this.#waiting]) done()
  }

  /** Resolves at the next ring, or when the signal is aborted. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.#waiting.delete(done)
        signal.removeEventListener('abort', done)
        resolve()
      }
      this.#waiting.add(done)
      signal.addEventListener('abort', done, { once: true })
    })
  }
}
