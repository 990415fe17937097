/**
 * How many run at the same time. A work can have thousands of manifests, and each request listens to the same signal: to add a
 * listener takes longer the more there are.
 */
const CONCURRENCY = 32

/**
 * Runs a function for each item, several at a time. Resolves with the results in order. After an error it starts no more, and
 * rejects with the error.
 */
export async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  const rest = items.entries()
  let hasFailed = false
  const work = async () => {
    for (const [index, item] of rest) {
      if (hasFailed) return
      try {
        results[index] = await run(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work))
  return results
}
