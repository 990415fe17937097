/** The bounds of AddOnPlacementScores. */
const LIMIT = 100

/**
 * The value of a ManagedClusterScore for a calculated number: an integer. Numbers beyond 2^53 are not exact, and JSON readers
 * disagree about them.
 */
export function scoreValue(calculator: string, cluster: string, calculated: unknown): number {
  const value = typeof calculated === 'number' ? Math.round(calculated) : calculated
  if (!Number.isSafeInteger(value)) {
    throw new RangeError(
      `calculator ${calculator} returned ${described(calculated)} for cluster ${JSON.stringify(cluster)}: ` +
        'return a number within ±2^53, or undefined if the score is unknown',
    )
  }
  // Negative zero is not an integer in JSON.
  return (value as number) + 0
}

/** A number as it is, and anything else with its type: the string "12" looks like a number. */
function described(value: unknown): string {
  if (typeof value === 'number' || value === null) return String(value)
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return `the ${typeof value} ${typeof value === 'string' ? JSON.stringify(value) : String(value)}`
}

/** The same for an AddOnPlacementScore. */
export function addOnScoreValue(score: number): number {
  return Math.max(-LIMIT, Math.min(LIMIT, score))
}
