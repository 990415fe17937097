import type { Write } from './committer.js'
import type { KeyIndex } from './key-index.js'
import type { Entry } from './types.js'

/** What the conditions and marks of a deletion add to an object at most. */
const SLACK = 4096

/**
 * Whether a write removes an object or brings its removal closer: marks it as being deleted, takes a finalizer away. Such
 * writes may use the space that is kept for removals, so they may not be used to put anything there.
 */
export function speedsRemoval({ entry, previous, remove }: Pick<Write, 'entry' | 'previous' | 'remove'>): boolean {
  if (remove) return true
  if (previous === undefined || entry.bytes.length > previous.bytes.length + SLACK) return false
  return entry.object().metadata.deletionTimestamp !== undefined
}

/** Those writes that speed a removal and build only on what is on disk, or on each other. */
export function removalsAmong(writes: readonly Write[], keyIndex: KeyIndex): Set<Write> {
  const removals = new Set<Write>()
  const bases = new Set<Entry>()
  for (const write of writes) {
    const { bucket, namespace, name } = write.entry
    const { previous } = write
    if (previous === undefined || !speedsRemoval(write)) continue
    if (!bases.has(previous) && keyIndex.get(bucket, namespace, name)?.revision !== previous.revision) continue
    removals.add(write)
    bases.add(write.entry)
  }
  return removals
}
