import type { Readable } from 'node:stream'
import { BODY_TIMEOUT_MS, readBody } from './body.js'
import type { Exchange } from './exchange.js'
import type { HeldAnswer } from './held-answers.js'

/** The seats that a request takes while it is served (API priority and fairness). */
export interface Seats {
  /** Gives them to others. */
  leave(): void
  /** Takes them again, after those who wait. Rejects with a 429 where there are none. `onGone` calls back when the client is gone. */
  retake(onGone: (callback: () => void) => void): Promise<void>
}

/**
 * Reads a body without seats: who sends slowly keeps nobody else from being served. What has come of the body counts like
 * an answer that is not read, until the request has seats again.
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
