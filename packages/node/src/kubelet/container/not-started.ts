/** Why a container cannot be started now; it is tried again. */
export class NotStarted extends Error {
  /** The `reason` of the waiting state: `CreateContainerConfigError`, `ImagePullBackOff`, …. */
  readonly reason: string

  constructor(reason: string, message: string) {
    super(message)
    this.name = 'NotStarted'
    this.reason = reason
  }

  /** Whether the end of the trouble is something that the node hears of. */
  get isWatched(): boolean {
    return this.reason !== RUN_ERROR && this.reason !== CREATE_ERROR
  }
}

/** The `reason` when the machine cannot make what a container needs. */
export const CREATE_ERROR = 'CreateContainerError'
/** The `reason` when the machine cannot run what a container asks for. */
export const RUN_ERROR = 'RunContainerError'
