import { isConflict, StatusError } from '@orrery/kinds/values'

/**
 * How often a write is tried if others write at the same time. There is no delay in between: a conflict means that
 * another writer succeeded, so every round has one writer less.
 */
export const CONFLICT_TRIES = 10

/** Calls `write` until there is no conflict. It has to read the object each time. */
export async function retryOnConflict<T>(write: (attempt: number) => Promise<T>, tries = CONFLICT_TRIES): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write(attempt)
    } catch (error) {
      if (attempt >= tries || !isConflict(error)) throw error
    }
  }
}

/** Whether the same request may succeed later: there was no response, or the server is overloaded. */
export function isTransient(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500
  // Anything else comes from the connection, except errors of the program.
  return !(error instanceof TypeError)
}
