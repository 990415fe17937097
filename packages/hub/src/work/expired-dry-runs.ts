import { ManifestWorkDryRun } from '@orrery/api'
import { type ControllerSpec, each, isBeingDeleted, requeueAt } from '@orrery/kube'
import type { HubContext } from '../context.js'

/** How long a dry run is kept. Clients delete theirs sooner; this is for clients that failed. */
const TTL_MILLISECONDS = 600_000

/** Deletes dry runs ten minutes after their creation, since they contain objects of clusters. */
export function expiredDryRuns({ client, clock, informers }: HubContext): ControllerSpec {
  const dryRuns = informers.metadataOf(ManifestWorkDryRun)
  return {
    name: 'expired-dry-runs',
    wakes: [each(dryRuns)],
    async reconcile(ref, { signal }) {
      const dryRun = dryRuns.get(ref)
      if (dryRun === undefined || isBeingDeleted(dryRun)) return undefined
      const { uid, creationTimestamp } = dryRun.metadata
      const expiry = new Date(Date.parse(creationTimestamp) + TTL_MILLISECONDS)
      if (clock.now() < expiry) return requeueAt(expiry)
      await client.ensureDeleted(ManifestWorkDryRun, ref, { preconditions: { uid }, signal })
      return undefined
    },
  }
}
