/** What the server's controllers read of a CertificateSigningRequest. */
export interface CsrSpec {
  readonly signerName: string
  /** Base64 of PEM. */
  readonly request: string
  readonly usages?: readonly string[]
  readonly expirationSeconds?: number
}

export interface CsrCondition {
  readonly type: string
  readonly status: string
  readonly lastUpdateTime?: string
}

export interface CsrStatus {
  readonly certificate?: string
  readonly conditions?: readonly CsrCondition[]
}

/** A decision about a request, when it has been made. */
export function conditionOf({ conditions = [] }: CsrStatus, type: string): CsrCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status !== 'False')
}
