import { startInSlices } from '../fairness/started-in-slices.js'
import type { InternalClient, ResourceRef } from '../registry/internal.js'
import type { Entry } from '../store/types.js'

/** The number of concurrent deletes: enough to share flushes, few enough to leave room for other work. */
const CONCURRENCY = 200

/** Deletes objects that are not being deleted yet, many at a time. Returns the errors. */
export async function deleteAll(client: InternalClient, ref: ResourceRef, entries: readonly Entry[]): Promise<Error[]> {
  const failures: Error[] = []
  await startInSlices(entries, CONCURRENCY, async (entry) => {
    const { uid, deletionTimestamp } = entry.object().metadata
    if (deletionTimestamp !== undefined) return
    try {
      await client.delete(ref, entry.namespace, entry.name, { uid, propagationPolicy: 'Background' })
    } catch (error) {
      failures.push(error instanceof Error ? error : new Error(String(error)))
    }
  })
  return failures
}
