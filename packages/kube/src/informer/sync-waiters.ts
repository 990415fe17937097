import { sharedByMany } from '../signals.js'

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The callers that wait until an informer has synced. */
export class SyncWaiters {
  readonly #waiters = new Set<Waiter>()

  /** Resolves when `release` is called. Rejects when `fail` is called or the signal aborts. */
  wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      const end = () => {
        this.#waiters.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const abort = () => waiter.reject(signal?.reason)
      const waiter: Waiter = {
        resolve: () => {
          end()
          resolve()
        },
        reject: (error) => {
          end()
          reject(error)
        },
      }
      this.#waiters.add(waiter)
      if (signal !== undefined) sharedByMany(signal).addEventListener('abort', abort, { once: true })
    })
  }

  release(): void {
    for (const waiter of this.#waiters) waiter.resolve()
  }

  fail(error: Error): void {
    for (const waiter of this.#waiters) waiter.reject(error)
  }
}
