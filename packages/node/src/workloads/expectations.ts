import type { ApiObject, ObjectRef } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'

interface Waiter {
  readonly holds: () => boolean
  readonly resolve: () => void
}

/**
 * How long to wait for an informer that lost its connection. After that the work continues, and the next sync corrects
 * any mistake.
 */
const TIMEOUT_MS = 10_000

/**
 * Waits until an informer shows a write (upstream: expectations). A controller that counts the objects it created must
 * not read its informer before that; otherwise it would create them twice. Waiting inside the reconcile, which runs
 * once at a time for each object, keeps no state between two runs.
 */
export class Expectations<T extends ApiObject> {
  readonly #informer: Informer<T>
  readonly #clock: Clock
  readonly #waiters = new Set<Waiter>()
  #newest = 0

  constructor(informer: Informer<T>, clock: Clock) {
    this.#informer = informer
    this.#clock = clock
    informer.subscribe(({ before, after }) => {
      this.#newest = Math.max(this.#newest, versionOf((after ?? before) as T))
      for (const waiter of this.#waiters) if (waiter.holds()) waiter.resolve()
    })
  }

  /** Returns the result of a write once the informer shows it. */
  async after(write: Promise<T>, signal: AbortSignal): Promise<T> {
    const written = await write
    const version = versionOf(written)
    // Resource versions that are not numbers cannot be compared.
    await this.until(() => !(this.#newest < version), signal)
    return written
  }

  /** Resolves once the informer shows the object as being deleted or gone. */
  async gone(deletion: Promise<unknown>, object: T, signal: AbortSignal): Promise<void> {
    await deletion
    const { uid, name, namespace } = object.metadata
    const ref: ObjectRef = { name, namespace }
    await this.until(() => {
      const shown = this.#informer.get(ref)
      return shown?.metadata.uid !== uid || shown.metadata.deletionTimestamp !== undefined
    }, signal)
  }

  /** Resolves once a condition on the informer's objects holds. */
  until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    if (holds()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter)
        cancel()
        signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        end()
        reject(signal.reason)
      }
      const waiter: Waiter = {
        holds,
        resolve: () => {
          end()
          resolve()
        },
      }
      const cancel = this.#clock.after(TIMEOUT_MS, waiter.resolve)
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })
      this.#waiters.add(waiter)
    })
  }
}

function versionOf({ metadata: { resourceVersion } }: ApiObject): number {
  return Number(resourceVersion)
}
