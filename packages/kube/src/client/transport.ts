/** One HTTP request to an API server. */
export interface HttpRequest {
  readonly method: string
  /** Path and query, from the root of the API. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: Buffer | string
  readonly signal?: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The chunks of the body as they arrive. Ending the iteration early cancels the request. */
  readonly body: AsyncIterable<Buffer>
  /** The whole body. */
  bytes(): Promise<Buffer>
}

/**
 * Sends requests to one API server with one identity: over TLS, or to a server in the same process. Resolves when the
 * response starts, with any status; rejects only if there is no response.
 */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>
  /** Cancels active requests and closes connections. */
  close?(): void
}
