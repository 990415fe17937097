import { isForbidden, isUnauthorized } from '@orrery/kinds/values'
import { connectionErrorIn } from './explain-failure.js'

/**
 * Runs something for each item, one after another, also after one has failed, as kubectl does. Then throws what failed. An
 * error that every item would have ends it.
 */
export async function forEachOf<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const failed: unknown[] = []
  for (const item of items) {
    try {
      await run(item)
    } catch (error) {
      failed.push(error)
      if (connectionErrorIn(error) !== undefined || isUnauthorized(error) || isForbidden(error)) break
    }
  }
  if (failed.length > 1) throw new Error(failed.map((error) => (error as Error).message).join('\nerror: '))
  if (failed.length === 1) throw failed[0]
}
