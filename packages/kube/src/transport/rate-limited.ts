import type { HttpRequest, HttpResponse, Transport } from '../client/transport.js'
import type { Clock } from '../clock.js'
import { abortError, ConnectionError } from './connection-error.js'
import { waitingClock } from './waiting-clock.js'

export interface RateLimit {
  /** Average requests per second. */
  readonly qps: number
  /** Requests that may be sent at once after an idle time. Default twice `qps`. */
  readonly burst?: number
  readonly clock?: Clock
}

/** Limits the rate of requests: those beyond it wait, in order. */
export function rateLimited(transport: Transport, limit: RateLimit): Transport {
  return new RateLimitedTransport(transport, limit)
}

class RateLimitedTransport implements Transport {
  readonly #transport: Transport
  readonly #perMillisecond: number
  readonly #burst: number
  readonly #clock: Clock
  /** Below zero: the number of waiting requests. */
  #tokens: number
  #filledAt: number
  readonly #waiting = new Set<() => void>()

  constructor(transport: Transport, { qps, burst = Math.max(1, 2 * qps), clock = waitingClock }: RateLimit) {
    if (!(qps > 0) || !(burst >= 1)) throw new RangeError('qps must be greater than 0 and burst at least 1')
    this.#transport = transport
    this.#perMillisecond = qps / 1000
    this.#burst = burst
    this.#clock = clock
    this.#tokens = burst
    this.#filledAt = clock.elapsed()
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const now = this.#clock.elapsed()
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#filledAt) * this.#perMillisecond)
    this.#filledAt = now
    this.#tokens--
    if (this.#tokens < 0) await this.#wait(-this.#tokens / this.#perMillisecond, request.signal)
    return this.#transport.request(request)
  }

  close(): void {
    for (const stop of [...this.#waiting]) stop()
    this.#transport.close?.()
  }

  #wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (error: Error | undefined) => {
        cancel()
        signal?.removeEventListener('abort', aborted)
        this.#waiting.delete(stop)
        if (error === undefined) return resolve()
        // The turn was not used: later requests need not wait for it.
        this.#tokens++
        reject(error)
      }
      const aborted = () => finish(abortError(signal))
      const stop = () => finish(new ConnectionError('the client was closed', { code: 'ECLOSED', sent: false }))
      const cancel = this.#clock.after(milliseconds, () => finish(undefined))
      this.#waiting.add(stop)
      signal?.addEventListener('abort', aborted)
      if (signal?.aborted === true) aborted()
    })
  }
}
