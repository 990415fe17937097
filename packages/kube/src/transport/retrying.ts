import { retryAfter } from '../client/reply.js'
import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import type { Clock } from '../clock.js'
import { sharedByMany } from '../signals.js'
import { abortError, ConnectionError } from './connection-error.js'
import { waitingClock } from './waiting-clock.js'

/** When to try again, and how often. */
export interface RetryPolicy {
  /** How often a server that asks for patience (429, or 5xx with `Retry-After`) is asked again. Default 10. */
  readonly busyRetries?: number
  /** How often a server that cannot be reached is tried again. Default 4. */
  readonly connectionRetries?: number
  /** The first pause after a failed connection is up to this long, each further one up to twice as long. Default 100. */
  readonly backoffMs?: number
  /** Default 5,000. */
  readonly maxBackoffMs?: number
  /** Servers that ask for more patience than this get none. Default 60. */
  readonly maxRetryAfterSeconds?: number
  readonly clock?: Clock
  /** From 0 to 1. Default `Math.random`. */
  readonly random?: () => number
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])
/** Doing it twice comes to the same as doing it once. */
const REPEATABLE: ReadonlySet<string> = new Set([...SAFE, 'PUT', 'DELETE'])
/** What failed at once may work the next moment; what took its time to fail is not worth as much again. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
])

/**
 * Tries again what is worth trying again: when the server asks for it, and when it cannot be reached. What may have been
 * done already is only done again if that makes no difference.
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
        // Read to its end, so that the connection can be used again.
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
    // These two say that the request was turned away; after any other failure it may have been done, or in part.
    return status === 429 || status === 503 || REPEATABLE.has(request.method) ? seconds : undefined
  }

  /** Anything up to the limit: clients that failed together do not come back together. */
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
