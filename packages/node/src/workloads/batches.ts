/**
 * Runs a task for each item, one at first and then twice as many at a time: when every one is bound to fail, as with a
 * used-up quota, the server hears of few. The first failure is thrown after the batch it came up in.
 */
export async function inGrowingBatches<T>(items: readonly T[], task: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0, size = 1; start < items.length; start += size, size = start + 1) {
    const results = await Promise.allSettled(items.slice(start, start + size).map(task))
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }
}
