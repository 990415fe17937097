import { isObject } from '@orrery/kinds/values'
import type { Transport } from '@orrery/kube/client'
import { withTimeLimit } from '@orrery/kube/process'
import { connectionFailure, restFailure, type Target } from './failures.js'
import { type RetryPolicy, withRetry } from './retry.js'

const ROOT = '/api/maestro/v1'

export interface RestRequest extends Target {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Below `/api/maestro/v1`, with the query. */
  readonly path: string
  readonly body?: object
  readonly signal?: AbortSignal | undefined
}

/** The REST port of Maestro, with retries. */
export class RestApi {
  readonly #transport: Transport
  readonly #retry: RetryPolicy
  readonly #limitMilliseconds: number

  constructor(transport: Transport, retry: RetryPolicy, limitMilliseconds: number) {
    this.#transport = transport
    this.#retry = retry
    this.#limitMilliseconds = limitMilliseconds
  }

  /** The object in the response; undefined if it has no body. Throws `StatusError`. */
  send(request: RestRequest): Promise<Record<string, unknown> | undefined> {
    return withRetry(this.#retry, request.signal, () => this.#once(request))
  }

  close(): void {
    this.#transport.close?.()
  }

  async #once(request: RestRequest): Promise<Record<string, unknown> | undefined> {
    const { method, path, body, signal } = request
    try {
      return await withTimeLimit(this.#limitMilliseconds, signal, async (limited) => {
        const response = await this.#transport.request({
          method,
          path: ROOT + path,
          signal: limited,
          headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        if (response.status >= 400) throw await restFailure(response, request)
        const bytes = await response.bytes()
        return bytes.length === 0 ? undefined : parsed(bytes, path)
      })
    } catch (error) {
      throw connectionFailure(error)
    }
  }
}

function parsed(bytes: Buffer, path: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    value = undefined
  }
  if (isObject(value)) return value
  throw new Error(`the response to ${ROOT}${path} is not a JSON object: check apiUrl`)
}
