import { isNotFound } from '@orrery/kinds/values'
import type { Entry } from '../store/types.js'
import type { VerbContext } from './context.js'
import { type DeleteOptions, remove } from './delete.js'
import type { Registry } from './registry.js'

/** The number of concurrent deletes: enough to share flushes, few enough to leave room for other work. */
const BATCH = 100

/** Deletes all listed objects. A missing one is ignored; any other error stops it. */
export async function removeCollection(
  registry: Registry,
  context: VerbContext,
  options: DeleteOptions,
  entries: readonly Entry[],
): Promise<void> {
  const removeOne = async ({ namespace, name }: Entry): Promise<void> => {
    try {
      await remove(registry, { ...context, namespace, name }, options)
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
  for (let start = 0; start < entries.length; start += BATCH) {
    const outcomes = await Promise.allSettled(entries.slice(start, start + BATCH).map(removeOne))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }
}
