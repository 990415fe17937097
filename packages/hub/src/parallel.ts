/** How many run at the same time. */
const CONCURRENCY = 16

/** Runs a function for each item, several at a time. Resolves with the errors: a failure does not stop the others. */
export async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = []
  const rest = items.values()
  const work = async () => {
    for (const item of rest) {
      await run(item).catch((error: unknown) => {
        failures.push(error)
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, work))
  return failures
}
