import { readFile } from 'node:fs/promises'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { AdapterError } from '../adapter-error.js'
import { DEFAULT_RETRY, type RetryPolicy, retried } from '../retry.js'

export interface ApiRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Default the client's. */
  readonly timeoutMilliseconds?: number
  /** Default the client's. */
  readonly retry?: RetryPolicy
}

export interface ApiResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends requests to the HyperFleet API. */
export interface ApiClient {
  /** Resolves with any response that another attempt would not improve. Throws `AdapterError` if there is none. */
  send(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse>
}

export interface ApiClientOptions {
  /** The address of the API, such as `https://hyperfleet-api:8000`. Relative URLs of requests begin there. */
  readonly baseUrl: string
  /** Headers of every request to the API. Requests to other servers have neither these nor the token. */
  readonly headers?: Readonly<Record<string, string>>
  /** A file with a bearer token. It is read again when the cached token is older than `tokenTtlMilliseconds`. */
  readonly tokenFile?: string
  /** Default 1 minute. */
  readonly tokenTtlMilliseconds?: number
  /** Default 10 seconds. */
  readonly timeoutMilliseconds?: number
  /** Default three attempts with an exponential delay from 1 to 30 seconds. */
  readonly retry?: RetryPolicy
  readonly clock?: Clock
  /** Default the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** A response that another attempt can improve. */
class RetryableResponse extends Error {
  readonly response: ApiResponse

  constructor(response: ApiResponse) {
    super(`HTTP ${response.status}`)
    this.response = response
  }
}

/** A client that retries network errors, 5xx, 408 and 429. */
export function apiClient(options: ApiClientOptions): ApiClient {
  const { baseUrl, clock = systemClock, timeoutMilliseconds = 10_000, retry = DEFAULT_RETRY } = options
  const send = options.fetch ?? fetch
  const { origin } = new URL(baseUrl)
  const token = tokenReader(options, clock)

  async function attempt(request: ApiRequest, signal: AbortSignal): Promise<ApiResponse> {
    const limit = AbortSignal.timeout(request.timeoutMilliseconds ?? timeoutMilliseconds)
    const url = new URL(request.url, baseUrl)
    // A URL can come from an event: another server must not get the credentials of the API.
    const isOwn = url.origin === origin
    const authorization = isOwn ? await token() : undefined
    const reply = await send(url, {
      method: request.method,
      headers: {
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(authorization === undefined ? {} : { authorization: `Bearer ${authorization}` }),
        ...(isOwn && options.headers),
        ...request.headers,
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: AbortSignal.any([signal, limit]),
    })
    const response = {
      status: reply.status,
      headers: Object.fromEntries(reply.headers),
      body: await reply.text(),
    }
    if (reply.status >= 500 || reply.status === 408 || reply.status === 429) throw new RetryableResponse(response)
    return response
  }

  return {
    async send(request, signal) {
      const policy = request.retry ?? retry
      const isTransient = (error: unknown) => !(error instanceof AdapterError)
      try {
        return await retried({ policy, clock, signal, isTransient }, (signal) => attempt(request, signal))
      } catch (error) {
        if (error instanceof RetryableResponse) return error.response
        if (error instanceof AdapterError) throw error
        signal.throwIfAborted()
        const cause = error as Error & { cause?: Error }
        const why = cause.cause?.message ?? cause.message
        throw new AdapterError('HyperFleetAPI', `${request.method} ${request.url} failed: ${why}`, { cause: error })
      }
    },
  }
}

function tokenReader(options: ApiClientOptions, clock: Clock): () => Promise<string | undefined> {
  const { tokenFile, tokenTtlMilliseconds = 60_000 } = options
  let cached: { readonly token: string; readonly until: number } | undefined
  return async () => {
    if (tokenFile === undefined) return undefined
    if (cached !== undefined && clock.elapsed() < cached.until) return cached.token
    try {
      const token = (await readFile(tokenFile, 'utf8')).trim()
      cached = { token, until: clock.elapsed() + tokenTtlMilliseconds }
      return token
    } catch (error) {
      const message = `cannot read the token of the HyperFleet API: ${(error as Error).message}`
      throw new AdapterError('Configuration', message, { cause: error })
    }
  }
}
