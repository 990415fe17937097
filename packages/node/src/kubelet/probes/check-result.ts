/** What a probe found. */
export interface CheckResult {
  readonly ok: boolean
  /** Why it failed, for people. */
  readonly message: string
}

export const FINE: CheckResult = { ok: true, message: '' }
