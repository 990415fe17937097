import { isConflict, StatusError } from '@orrery/kinds/values'

/**
 * How often a write is tried when others write at the same time. There is no pause in between: a conflict means that
 * another writer has got through, so every round takes one writer out of the race.
 */
export const CONFLICT_TRIES = 10

/** Calls `write` until it is not refused as out of date. It has to read the object anew each time. */
export async function retryOnConflict<T>(write: (attempt: number) => Promise<T>, tries = CONFLICT_TRIES): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(attempt)
    } catch (error) {
      if (attempt >= tries || !isConflict(error)) throw error
    }
  }
}

/** Whether the same request may well succeed later: there was no answer, or the server is not up to it now. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500
  // Anything else comes from the connection, except mistakes of the program.
  return !(error instanceof TypeError)
}
