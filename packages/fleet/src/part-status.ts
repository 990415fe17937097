/** The current state of a part. */
export interface PartStatus {
  readonly name: string
  /** `available` or `ready` if it is healthy. */
  readonly phase: string
  readonly detail?: string
  readonly pid?: number
  readonly restarts: number
  readonly url: string
  /** The version of its API; absent if it does not answer. */
  readonly version?: string
  /** Why its node does not isolate programs in pods; absent if it does, or there is no node. */
  readonly unisolated?: string
}

/** A cluster on the hub. */
export interface ClusterStatus {
  readonly name: string
  readonly accepted: string
  readonly joined: string
  readonly available: string
  /** When its lease was last renewed. */
  readonly renewed?: string
  readonly created?: string
  readonly works: WorksSummary
}

export interface WorksSummary {
  readonly total: number
  readonly applied: number
  readonly available: number
}
