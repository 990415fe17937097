import type { Readable } from 'node:stream'
import { BODY_TIMEOUT_MS, readBody } from './body.js'
import type { Exchange } from './exchange.js'
import type { HeldAnswer } from './held-answers.js'

/** The seats of a request (API Priority and Fairness). */
export interface Seats {
  /** Releases the seats. */
  leave(): void
  /**
   * Takes the seats again, after waiting requests. Rejects with a 429 if there are none. `onGone` registers a callback
   * for the client's disconnect.
   */
  retake(onGone: (callback: () => void) => void): Promise<void>
}

/**
 * Reads a body without seats, so that slow senders do not block other requests. The received bytes count like an unread
 * response until the request has seats again.
 */
export async function readUnseated(
  exchange: Pick<Exchange, 'onClose'>,
  source: Readable,
  declaredLength: string | undefined,
  limit: number,
  seats: Seats,
  held: HeldAnswer,
): Promise<Buffer> {
  seats.leave()
  try {
    const body = await readBody(source, declaredLength, limit, BODY_TIMEOUT_MS, (bytes) => held.grew(bytes))
    await seats.retake((callback) => exchange.onClose(callback))
    return body
  } finally {
    held.release()
  }
}
