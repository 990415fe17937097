/** A report is written again, unchanged, when this share of its validity is over. */
const REFRESH_SHARE = 0.5
/** How far the clocks of writers and readers may differ, in milliseconds. */
const CLOCK_TOLERANCE = 60_000

/**
 * Whether a score or report can stay as it is: less than half of its validity is over. A writer that renews only what is not
 * fresh writes rarely, and a reader still notices when the writer stops.
 */
export function isFresh(validUntil: Date | undefined, validitySeconds: number, now: Date): boolean {
  if (validUntil === undefined) return false
  const rest = validUntil.getTime() - now.getTime()
  // A time from the future, of a clock that was ahead, is corrected.
  return rest > 1_000 * validitySeconds * (1 - REFRESH_SHARE) && rest <= 1_000 * validitySeconds + CLOCK_TOLERANCE
}
