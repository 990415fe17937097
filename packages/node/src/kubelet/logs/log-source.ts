/** The options of a log request. */
export interface LogRequest {
  /** Whether to stream new lines until the container ends. */
  readonly follow: boolean
  /** Whether to prefix each line with its timestamp. */
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly since: Date | undefined
  readonly limitBytes: number | undefined
  readonly stream: 'stdout' | 'stderr' | undefined
}

/** The log of a container. */
export interface LogSource {
  /** Returns the log in chunks, oldest first, as sent to the client. */
  read(request: LogRequest, signal: AbortSignal): AsyncIterable<Buffer>
}
