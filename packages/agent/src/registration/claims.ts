import {
  type ClusterClaim,
  type ClusterProperty,
  type ManagedClusterClaim,
  RESERVED_CLAIMS,
  SPOKE_ONLY_LABEL,
} from '@orrery/api'

/** Which claims are reported. */
export interface ClaimRules {
  /** The limit of claims besides reserved ones. */
  readonly maxCustomClaims: number
  /** Claims with one of these suffixes also count as reserved. */
  readonly reservedClaimSuffixes: readonly string[]
}

export interface ReportedClaims {
  readonly claims: ManagedClusterClaim[]
  /** The number of custom claims, including those left out. */
  readonly custom: number
}

const MAX_VALUE = 1_024

/**
 * The claims to report: reserved claims first, then custom ones, each sorted by name. Properties take precedence over
 * claims.
 */
export function claimsOf(
  claims: readonly ClusterClaim[],
  properties: readonly ClusterProperty[],
  rules: ClaimRules,
): ReportedClaims {
  const values = new Map<string, string>()
  for (const { metadata, spec } of [...claims, ...properties]) {
    const isPrivate = Object.hasOwn(metadata.labels ?? {}, SPOKE_ONLY_LABEL)
    const value = spec?.value ?? ''
    // The hub rejects a status with a value that is empty or too long: one bad claim must not block the others.
    if (!isPrivate && value !== '' && value.length <= MAX_VALUE) values.set(metadata.name, value)
  }
  const names = [...values.keys()].sort()
  const isReserved = (name: string) =>
    (RESERVED_CLAIMS as readonly string[]).includes(name) ||
    rules.reservedClaimSuffixes.some((suffix) => name.endsWith(suffix))
  const custom = names.filter((name) => !isReserved(name))
  const reported = [...names.filter(isReserved), ...custom.slice(0, rules.maxCustomClaims)]
  return { claims: reported.map((name) => ({ name, value: values.get(name) as string })), custom: custom.length }
}
