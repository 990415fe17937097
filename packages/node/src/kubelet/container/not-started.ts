/** The container cannot be started now. The start is retried. */
export class NotStarted extends Error {
  /** The `reason` of the waiting state: `CreateContainerConfigError`, `ImagePullBackOff`, …. */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.name = 'NotStarted'
    this.reason = reason
  }

  /** Whether the node is notified when the cause is resolved. */
  get isWatched(): boolean {
    return this.reason !== RUN_ERROR && this.reason !== CREATE_ERROR
  }
}

/** The `reason` if the node fails to create what the container needs. */
export const CREATE_ERROR = 'CreateContainerError'
/** The `reason` if the node fails to run the container's command. */
export const RUN_ERROR = 'RunContainerError'
