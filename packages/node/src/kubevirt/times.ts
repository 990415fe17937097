const SECOND = 1_000

/** Returns the latest time that a time of the API can stand for: it has no fractions of a second. */
export function latest(time: string): Date {
  return new Date(new Date(time).getTime() + SECOND)
}

/** Returns the rest of a grace period that began at a time of the API, in seconds. It is never cut short. */
export function restOfGrace(graceSeconds: number, since: string, now: Date): number {
  const rest = graceSeconds - (now.getTime() - latest(since).getTime()) / SECOND
  return Math.min(graceSeconds, Math.max(0, rest))
}
