import { OperationError } from './operation-error.js'

/** A change that is checked and not written yet. */
export interface Prepared<T> {
  write(): Promise<T>
}

/**
 * Prepares a change for each item. If that fails for some of them, it throws an error with all failures, before anything is
 * written.
 */
export async function prepareAll<T, P>(items: readonly T[], prepare: (item: T) => Promise<P>): Promise<P[]> {
  const results = await Promise.allSettled(items.map(prepare))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (failures.length === 0) return results.map((result) => (result as PromiseFulfilledResult<P>).value)
  if (items.length === 1) throw failures[0]
  const messages = failures.map(({ message }) => message)
  throw new OperationError(`${messages.join('\n')}\nNothing was changed.`, { cause: failures[0] })
}

/** Writes all prepared changes. A failure does not prevent the others. */
export async function writeAll<T>(
  prepared: readonly Prepared<T>[],
  onWritten: (result: T, at: number) => void,
): Promise<void> {
  const results = await Promise.allSettled(
    prepared.map(async (one, at) => {
      onWritten(await one.write(), at)
    }),
  )
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (failures.length === 1) throw failures[0]
  if (failures.length > 1) {
    throw new OperationError(failures.map(({ message }) => message).join('\n'), { cause: failures[0] })
  }
}
