/** The lifetime of a service account token whose request names none. */
export const DEFAULT_TOKEN_SECONDS = 3600
/**
 * The lifetime that the ServiceAccount admission plugin asks for. A token with it is valid for a year, because clients may
 * not read the file again.
 */
export const MOUNTED_TOKEN_SECONDS = 3607

const MIN_SECONDS = 600
const MAX_SECONDS = 2 ** 32

/** Returns why a service account token cannot have this lifetime; undefined if it can. */
export function tokenLifetimeProblem(seconds: number): string | undefined {
  if (seconds < MIN_SECONDS) return 'may not specify a duration less than 10 minutes'
  return seconds > MAX_SECONDS ? 'may not specify a duration larger than 2^32 seconds' : undefined
}
