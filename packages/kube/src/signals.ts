import { setMaxListeners } from 'node:events'

/** Allows any number of listeners on a signal: Node.js warns of a leak at more than ten. */
export function sharedByMany(signal: AbortSignal): AbortSignal {
  setMaxListeners(0, signal)
  return signal
}

/**
 * Runs something with a time limit, at the latest until the signal is aborted. `AbortSignal.any` of an `AbortSignal.timeout` is no
 * limit: Node.js 20 collects the timeout as garbage, and it never fires.
 */
export async function withTimeLimit<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const timer = setTimeout(
    () => limit.abort(new DOMException(`timed out after ${milliseconds / 1_000} s`, 'TimeoutError')),
    milliseconds,
  )
  try {
    return await run(signal === undefined ? limit.signal : AbortSignal.any([limit.signal, signal]))
  } finally {
    clearTimeout(timer)
  }
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
