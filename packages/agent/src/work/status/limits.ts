/** The longest message that an API server takes in a condition. */
const MAX_MESSAGE = 32_768
/** The messages of all manifests together, should all of them have much to say, in characters. */
const ALL_MESSAGES = 262_144
/** How many conditions a manifest usually has. */
const USUAL_CONDITIONS = 5
/** Enough to say which, why, and what to do. */
const MIN_LIMIT = 512

/**
 * How long the message of a condition may be in the status of a work with so many manifests. An object that does not fit
 * into the store of a hub is not written at all, and nobody would hear of anything.
 */
export function maxMessageLength(manifests: number): number {
  const share = Math.floor(ALL_MESSAGES / (USUAL_CONDITIONS * Math.max(manifests, 1)))
  return Math.min(Math.max(share, MIN_LIMIT), MAX_MESSAGE)
}
