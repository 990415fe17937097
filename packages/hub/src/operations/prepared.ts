import { OperationError } from './operation-error.js'

/** A change that has been checked as far as that is possible beforehand, and that is not written yet. */
export interface Prepared<T> {
  write(): Promise<T>
}

/**
 * Prepares something for each of several. If it fails for one of them, it throws, and names every one that it fails for:
 * nothing has been written for any by then.
 */
export async function prepareAll<T, P>(items: readonly T[], prepare: (item: T) => Promise<P>): Promise<P[]> {
  const results = await Promise.allSettled(items.map(prepare))
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []))
  if (failures.length === 0) return results.map((result) => (result as PromiseFulfilledResult<P>).value)
  if (items.length === 1) throw failures[0]
  const messages = failures.map(({ message }) => message)
  throw new OperationError(`${messages.join('\n')}\nNothing was changed.`, { cause: failures[0] })
}

/** Writes all that was prepared. What fails for one keeps no other from being written. */
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
