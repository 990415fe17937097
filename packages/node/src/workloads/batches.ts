/**
 * Runs a task for each item in batches that double in size (`slowStartBatch`): if all tasks fail, for example because a
 * quota is exhausted, the server gets few requests. Throws the first failure after its batch.
 */
export async function inGrowingBatches<T>(items: readonly T[], task: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0, size = 1; start < items.length; start += size, size = start + 1) {
    const results = await Promise.allSettled(items.slice(start, start + size).map(task))
    const failure = results.find((result) => result.status === 'rejected')
    if (failure !== undefined) throw failure.reason
  }
}
