/** How many requests are under way at the same time. */
const WIDTH = 16

/** Does something for each of many, several at a time. What it does must not throw. */
export async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values()
  const work = async () => {
    for (const item of rest) await run(item)
  }
  await Promise.all(Array.from({ length: Math.min(WIDTH, items.length) }, work))
}
