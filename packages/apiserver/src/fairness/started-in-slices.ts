/** Kept here, because tests replace the global timers. */
const nextLoop = setImmediate

/** How long calls are started before the event loop serves requests. */
const SLICE_MILLISECONDS = 10

/**
 * Calls `start` for each item, with at most `concurrency` calls in progress. A call can read and write a large object before
 * it first waits, so only as many are started in one go as take a few milliseconds. Stops at the first error, after the calls in
 * progress have ended, and rejects with it.
 */
export async function startInSlices<T>(
  items: readonly T[],
  concurrency: number,
  start: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  let failure: { readonly error: unknown } | undefined
  let sliceEnd = performance.now() + SLICE_MILLISECONDS
  let pause: Promise<void> | undefined
  const nextSlice = () => {
    pause ??= new Promise((resolve) => {
      nextLoop(() => {
        pause = undefined
        sliceEnd = performance.now() + SLICE_MILLISECONDS
        resolve()
      })
    })
    return pause
  }
  const run = async (): Promise<void> => {
    while (next < items.length && failure === undefined) {
      if (performance.now() >= sliceEnd) {
        await nextSlice()
        continue
      }
      try {
        await start(items[next++] as T)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, run))
  if (failure !== undefined) throw failure.error
}
