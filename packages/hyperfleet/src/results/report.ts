/** A condition of a report. HyperFleet requires `Applied`, `Available` and `Health`. */
export interface ReportCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message?: string
}

/** The content of `adapter-report.json`. */
export interface AdapterReport {
  readonly conditions: readonly ReportCondition[]
  readonly data?: Readonly<Record<string, unknown>>
}

/** The content of `adapter-result.json`, which the status reporter of the job reads. */
export interface AdapterResult {
  readonly status: 'success' | 'failure'
  /** Default `NoReasonProvided`. */
  readonly reason?: string
  /** Default `No message provided`. */
  readonly message?: string
  readonly details?: unknown
}
