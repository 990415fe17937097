import type { Readable } from 'node:stream'
import { badRequest, type StatusError, timeout, tooLarge } from '@orrery/kinds/values'

/** The time limit for a body: kube-apiserver's time limit for a whole request. */
export const BODY_TIMEOUT_MS = 60_000

/** How long the rest of a body is read after the response. */
export const LINGER_MS = 5_000

/**
 * Reads a request body. Refuses it as soon as it exceeds the limit or takes too long. `onBytes` gets the size of each
 * chunk.
 */
export function readBody(
  source: Readable,
  declaredLength: string | undefined,
  limit: number,
  timeoutMilliseconds = BODY_TIMEOUT_MS,
  onBytes: (bytes: number) => void = ignore,
): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(overLimit(limit))
  return new Promise((settle, refuse) => {
    const slow = setTimeout(() => reject(timeout(TOO_SLOW, 0)), timeoutMilliseconds)
    const resolve = (body: Buffer) => {
      clearTimeout(slow)
      settle(body)
    }
    const reject = (error: Error) => {
      clearTimeout(slow)
      source.removeAllListeners('data')
      source.resume()
      refuse(error)
    }
    const body = new GrowingBody()
    source.on('data', (chunk: Buffer) => {
      if (body.size + chunk.length > limit) reject(overLimit(limit))
      else {
        body.add(chunk)
        onBytes(chunk.length)
      }
    })
    source.on('end', () => resolve(body.bytes()))
    // The connection failed or the server is closing it, so no response can be sent.
    const gone = () => {
      if (!source.readableEnded) reject(badRequest('the client disconnected before the request body was complete'))
    }
    source.on('error', gone)
    source.on('close', gone)
  })
}

/** Collects a body in one buffer that doubles: separate tiny chunks would cost a hundred times their size. */
class GrowingBody {
  size = 0
  #buffer: Buffer = EMPTY
  #owned = false

  add(chunk: Buffer): void {
    const size = this.size + chunk.length
    // Most bodies arrive in one chunk, which is kept without a copy.
    if (this.size === 0) this.#buffer = chunk
    else {
      if (!this.#owned || size > this.#buffer.length) this.#grow(Math.max(2 * size, FIRST_BYTES))
      chunk.copy(this.#buffer, this.size)
    }
    this.size = size
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.size)
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafe(capacity)
    this.#buffer.copy(larger, 0, 0, this.size)
    this.#buffer = larger
    this.#owned = true
  }
}

const ignore = () => undefined
const EMPTY = Buffer.alloc(0)
const FIRST_BYTES = 16 * 1024
const TOO_SLOW = 'request did not complete within the allotted timeout'

function overLimit(limit: number): StatusError {
  return tooLarge(`Request entity too large: limit is ${limit}`)
}
