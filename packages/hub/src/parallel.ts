/** How many requests are under way at the same time. */
const WIDTH = 16

/** Does something for each of many, several at a time. Resolves with what went wrong, which keeps no other from its turn. */
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
  await Promise.all(Array.from({ length: Math.min(WIDTH, items.length) }, work))
  return failures
}
