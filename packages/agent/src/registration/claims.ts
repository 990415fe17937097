import {
  type ClusterClaim,
  type ClusterProperty,
  type ManagedClusterClaim,
  RESERVED_CLAIMS,
  SPOKE_ONLY_LABEL,
} from '@orrery/api'

/** Which claims are reported. */
export interface ClaimRules {
  /** How many besides the reserved ones. */
  readonly maxCustomClaims: number
  /** Claims whose names end so are reserved ones, too. */
  readonly reservedClaimSuffixes: readonly string[]
}

export interface ReportedClaims {
  readonly claims: ManagedClusterClaim[]
  /** How many custom claims there are, those left out included. */
  readonly custom: number
}

const MAX_VALUE = 1_024

/** What the cluster says of itself, as reported: reserved claims first, each part by name. Properties go before claims. */
export function claimsOf(
  claims: readonly ClusterClaim[],
  properties: readonly ClusterProperty[],
  rules: ClaimRules,
): ReportedClaims {
  const values = new Map<string, string>()
  for (const { metadata, spec } of [...claims, ...properties]) {
    const isPrivate = Object.hasOwn(metadata.labels ?? {}, SPOKE_ONLY_LABEL)
    const value = spec?.value ?? ''
    // The hub refuses a status with a value that is empty or too long: one bad claim must not keep back all others.
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
