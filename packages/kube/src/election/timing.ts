/** The times of a leader election, in milliseconds. */
export interface ElectionTiming {
  /** How long candidates wait after the last renewal they saw before they acquire the lease. */
  readonly leaseDuration: number
  /** How long after its last renewal a leader stops by itself. */
  readonly renewDeadline: number
  /** The time between attempts. */
  readonly retryPeriod: number
}

/** The defaults of Kubernetes components. */
export const DEFAULT_TIMING: ElectionTiming = { leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 }

/** The defaults of Open Cluster Management components: one minute without the API server does not change the leader. */
export const PATIENT_TIMING: ElectionTiming = { leaseDuration: 137_000, renewDeadline: 107_000, retryPeriod: 26_000 }

/** How much longer than the retry period a candidate may wait, so that candidates are not synchronized. */
export const RETRY_JITTER = 1.2

/** Rejects times that allow two leaders, or no stable one. */
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
