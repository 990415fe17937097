import { isNotFound } from '@orrery/kinds/values'
import type { Entry } from '../store/types.js'
import type { VerbContext } from './context.js'
import { type DeleteOptions, remove } from './delete.js'
import type { Registry } from './registry.js'

/** So many deletes are on their way at a time: enough to share flushes, few enough to leave others room. */
const BATCH = 100

/** Deletes every object that was found. One that is gone already is fine; any other failure ends it. */
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
