/** How leadership passes on. All in milliseconds. */
export interface ElectionTiming {
  /** How long candidates wait, after the last sign of life they saw, before they take over. */
  readonly leaseDuration: number
  /** How long after its last renewal a leader steps down by itself. */
  readonly renewDeadline: number
  /** From one try to the next. */
  readonly retryPeriod: number
}

/** What the components of Kubernetes use. */
export const DEFAULT_TIMING: ElectionTiming = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

/** What the components of Open Cluster Management use: a minute without the API server changes no leader. */
export const PATIENT_TIMING: ElectionTiming = { leaseDuration: 137_000, renewDeadline: 107_000, retryPeriod: 26_000 }

/** How much longer than the retry period a candidate may wait, so that candidates do not move in step. */
export const RETRY_JITTER = 1.2

/** Refuses times under which there could be two leaders, or none that lasts. */
export function checkTiming({ leaseDuration, renewDeadline, retryPeriod }: ElectionTiming): void {
  if (!(retryPeriod > 0)) throw new RangeError('election: retryPeriod must be greater than zero')
  if (!(renewDeadline > retryPeriod * RETRY_JITTER)) {
    throw new RangeError(`election: renewDeadline must be greater than ${RETRY_JITTER} × retryPeriod`)
  }
  if (!(leaseDuration > renewDeadline)) {
    throw new RangeError('election: leaseDuration must be greater than renewDeadline')
  }
  if (leaseDuration < 1_000) throw new RangeError('election: leaseDuration must be at least one second')
}
