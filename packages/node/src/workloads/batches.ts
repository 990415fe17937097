/**
 * The maximum number of objects to write in one sync, as in kube-controller-manager (`BurstReplicas`,
 * `MaxPodCreateDeletePerSync`). The events of these objects start the next sync.
 */
export const BURST = 500

/** Runs a task for each item, `BURST` at a time. Rejects with the first failure. */
export async function inBursts<T>(items: readonly T[], task: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += BURST) {
    await Promise.all(items.slice(start, start + BURST).map(task))
  }
}

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
