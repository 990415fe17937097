/** Which part of a container's log is wanted, and how. */
export interface LogRequest {
  /** Go on with what comes, until the container ends. */
  readonly follow: boolean
  /** Begin each line with its time. */
  readonly timestamps: boolean
  readonly tailLines: number | undefined
  readonly since: Date | undefined
  readonly limitBytes: number | undefined
  readonly stream: 'stdout' | 'stderr' | undefined
}

/** What a container says. */
export interface LogSource {
  /** The log in pieces, oldest first, as it is to be sent. */
  read(request: LogRequest, signal: AbortSignal): AsyncIterable<Buffer>
}
