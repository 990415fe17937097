import type { ObjectMeta, OwnerReference } from '@orrery/kinds'

/** When duplicates are removed: in the sent object, or after admission. */
type Moment = 'as sent' | 'after admission'

/** Removes duplicate owner references and adds kube-apiserver's warning. */
export function dropDuplicateOwners(metadata: ObjectMeta, moment: Moment, warnings: string[]): void {
  const { ownerReferences } = metadata
  if (ownerReferences === undefined || ownerReferences.length < 2) return
  const kept: OwnerReference[] = []
  const duplicates: string[] = []
  const seen = new Set<string>()
  for (const owner of ownerReferences) {
    // Pairwise comparison would block the server for minutes with one list of owners.
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

/** Returns a key that is equal for owners that are equal in every field. */
function keyOf({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string {
  return JSON.stringify([apiVersion, kind, name, uid, controller, blockOwnerDeletion])
}
