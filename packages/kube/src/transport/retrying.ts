import { retryAfter } from '../client/reply.js'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import type { Clock } from '../clock.js'
import { sharedByMany } from '../signals.js'
import { abortError, ConnectionError } from './connection-error.js'
import { waitingClock } from './waiting-clock.js'

/** When to retry, and how often. */
export interface RetryPolicy {
  /** How often to retry if a server asks for it (429, or 5xx with `Retry-After`). Default 10. */
  readonly busyRetries?: number
  /** How often to retry if a server is unreachable. Default 4. */
  readonly connectionRetries?: number
  /** The maximum of the first delay after a failed connection; it doubles each time. Default 100. */
  readonly backoffMs?: number
  /** Default 5,000. */
  readonly maxBackoffMs?: number
  /** A longer Retry-After is not waited for. Default 60. */
  readonly maxRetryAfterSeconds?: number
  readonly clock?: Clock
  /** Returns a number from 0 to 1. Default `Math.random`. */
  readonly random?: () => number
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Idempotent methods. */
const REPEATABLE: ReadonlySet<string> = new Set([...SAFE, 'PUT', 'DELETE'])
/** Errors that occur at once may be gone a moment later; timeouts are not worth another wait. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])

/**
 * Retries requests if the server asks for it or is unreachable. A request that may have been processed is repeated
 * only if it is idempotent.
 */
export function retrying(transport: Transport, policy: RetryPolicy = {}): Transport {
  return new RetryingTransport(transport, policy)
}

class RetryingTransport implements Transport {
  readonly #transport: Transport
  readonly #policy: Required<RetryPolicy>
  readonly #closing = new AbortController()

  constructor(transport: Transport, policy: RetryPolicy) {
    this.#transport = transport
    sharedByMany(this.#closing.signal)
    this.#policy = {
      busyRetries: policy.busyRetries ?? 10,
      connectionRetries: policy.connectionRetries ?? 4,
      backoffMs: policy.backoffMs ?? 100,
      maxBackoffMs: policy.maxBackoffMs ?? 5_000,
      maxRetryAfterSeconds: policy.maxRetryAfterSeconds ?? 60,
      clock: policy.clock ?? waitingClock,
      random: policy.random ?? Math.random,
    }
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    let failures = 0
    for (let busy = 0; ; ) {
      try {
        const response = await this.#transport.request(request)
        const seconds = this.#pauseAskedFor(response, request)
        if (seconds === undefined || busy >= this.#policy.busyRetries) return response
        busy++
        // Read completely, so that the connection can be reused.
        await response.bytes()
        await this.#pause(seconds * 1000, request.signal)
      } catch (error) {
        if (failures >= this.#policy.connectionRetries || !isWorthAnother(error, request)) throw error
        await this.#pause(this.#backoff(failures++), request.signal)
        if (this.#closing.signal.aborted) throw error
      }
    }
  }

  close(): void {
    this.#closing.abort()
    this.#transport.close?.()
  }

  #pauseAskedFor(response: HttpResponse, request: HttpRequest): number | undefined {
    const { status } = response
    if (status !== 429 && status < 500) return undefined
    const seconds = retryAfter(response)
    if (seconds === undefined || seconds > this.#policy.maxRetryAfterSeconds) return undefined
    // These two mean that the request was rejected; after any other error it may have been processed in part.
    return status === 429 || status === 503 || REPEATABLE.has(request.method) ? seconds : undefined
  }

  /** A random delay up to the limit, so that clients that failed together do not retry together. */
  #backoff(failures: number): number {
    const { backoffMs, maxBackoffMs, random } = this.#policy
    return random() * Math.min(maxBackoffMs, backoffMs * 2 ** failures)
  }

  #pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const closing = this.#closing.signal
      const finish = () => {
        cancel()
        signal?.removeEventListener('abort', finish)
        closing.removeEventListener('abort', finish)
        if (signal?.aborted === true) reject(abortError(signal))
        else resolve()
      }
      const cancel = this.#policy.clock.after(milliseconds, finish)
      signal?.addEventListener('abort', finish)
      closing.addEventListener('abort', finish)
      if (signal?.aborted === true || closing.aborted) finish()
    })
  }
}

function isWorthAnother(error: unknown, { method, signal }: HttpRequest): boolean {
  if (!(error instanceof ConnectionError) || error.answered || signal?.aborted === true) return false
  return TRANSIENT.has(error.code) && (!error.sent || SAFE.has(method))
}
