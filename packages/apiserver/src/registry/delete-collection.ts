import { isNotFound } from '@orrery/kinds/values'
import { startInSlices } from '../fairness/started-in-slices.js'
import type { Entry } from '../store/types.js'
import type { VerbContext } from './context.js'
import { type DeleteOptions, remove } from './delete.js'
import type { Registry } from './registry.js'

/** The number of concurrent deletes: enough to share flushes, few enough to leave room for other work. */
const CONCURRENCY = 100

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
  await startInSlices(entries, CONCURRENCY, removeOne)
}
