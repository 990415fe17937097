import type { Write } from './committer.js'
import type { KeyIndex } from './key-index.js'
import type { Entry } from './types.js'

/** The maximum size that conditions and metadata of a deletion add to an object. */
const SLACK = 4096

/**
 * Returns whether a write removes an object or brings its removal closer: it sets the deletion timestamp or removes a
 * finalizer. Such writes may use the reserve for removals, so they must not add other data.
 */
export function speedsRemoval({ entry, previous, remove }: Pick<Write, 'entry' | 'previous' | 'remove'>): boolean {
  if (remove) return true
  if (previous === undefined || entry.bytes.length > previous.bytes.length + SLACK) return false
  return entry.object().metadata.deletionTimestamp !== undefined
}

/** Returns the writes that advance a removal and build only on durable writes or on each other. */
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
