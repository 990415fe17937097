import { isServerTimeout, isServiceUnavailable, isTimeout, isTooManyRequests } from '@orrery/kinds/values'

/** Whether a call to Maestro can succeed later: timeouts, an unavailable server, too many requests. */
export function isTransient(error: unknown): boolean {
  return isServerTimeout(error) || isServiceUnavailable(error) || isTooManyRequests(error) || isTimeout(error)
}
