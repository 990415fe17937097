import type { ObjectMeta, OwnerReference } from '@orrery/kinds'

/** When duplicates are looked for: in what a client sent, or in what admission made of it. */
type Moment = 'as sent' | 'after admission'

/** Drops owners that are listed twice, and says so. Clients know these words. */
export function dropDuplicateOwners(metadata: ObjectMeta, moment: Moment, warnings: string[]): void {
  const { ownerReferences } = metadata
  if (ownerReferences === undefined || ownerReferences.length < 2) return
  const kept: OwnerReference[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const owner of ownerReferences) {
    // Comparing each with each would keep the server busy for minutes with one list of owners.
    const key = keyOf(owner)
    if (seen.has(key)) duplicates.push(owner.uid)
    else kept.push(owner)
    seen.add(key)
  }
  if (duplicates.length === 0) return
  metadata.ownerReferences = kept
  const when = moment === 'after admission' ? ' after mutating admission happens' : ''
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  )
}

/** The same for owners that are the same in every field. */
function keyOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
}
