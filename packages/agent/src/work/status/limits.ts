/** The longest message that API servers accept in a condition. */
const MAX_MESSAGE = 32_768
/** The limit of all messages of a work together, in characters. */
const ALL_MESSAGES = 262_144
/** How many conditions a manifest usually has. */
const USUAL_CONDITIONS = 5
/** Enough to name the object, the problem and the fix. */
const MIN_LIMIT = 512

/**
 * The limit of a condition's message in the status of a work with this number of manifests. An object that exceeds
 * the limit of the hub's storage would not be written at all.
 */
export function maxMessageLength(manifests: number): number {
  const share = Math.floor(ALL_MESSAGES / (USUAL_CONDITIONS * Math.max(manifests, 1)))
  return Math.min(Math.max(share, MIN_LIMIT), MAX_MESSAGE)
}
