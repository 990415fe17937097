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
  /** The pieces of the body as they come. Whoever stops reading early ends the request. */
  readonly body: AsyncIterable<Buffer>
  /** The whole body at once. */
  bytes(): Promise<Buffer>
}

/**
 * Carries requests to one API server as one identity: over TLS, or straight into a server in the same process.
 * Resolves when the reply starts, whatever its status; rejects only when there is no reply.
 */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>
  /** Ends what is under way and lets go of connections. */
  close?(): void
}
