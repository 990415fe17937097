/** The result of one probe attempt. */
export interface CheckResult {
  readonly ok: boolean
  /** Why it failed. */
  readonly message: string
}

export const FINE: CheckResult = { ok: true, message: '' }
