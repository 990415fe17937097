import { setMaxListeners } from 'node:events'

/** Allows any number of listeners on a signal: Node.js warns of a leak at more than ten. */
export function sharedByMany(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}

/**
 * Waits for a promise until the signal is aborted, and then rejects with the signal's reason. It ends only this wait:
 * others may wait for the same promise.
 */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise
  let stop = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    else sharedByMany(signal).addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
