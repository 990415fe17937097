/** A part, as it is found when it is looked at. */
export interface PartStatus {
  readonly name: string
  /** `available` or `ready` when all is well. */
  readonly phase: string
  readonly detail?: string
  readonly pid?: number
  readonly restarts: number
  readonly url: string
  /** What its API says it is; absent when it does not answer. */
  readonly version?: string
  /** Why its node does not isolate programs in pods; absent when it does, or has no node. */
  readonly unisolated?: string
}

/** A cluster, as the hub knows it. */
export interface ClusterStatus {
  readonly name: string
  readonly accepted: string
  readonly joined: string
  readonly available: string
  /** When it last gave a sign of life. */
  readonly renewed?: string
  readonly created?: string
  readonly works: WorksSummary
}

export interface WorksSummary {
  readonly total: number
  readonly applied: number
  readonly available: number
}
