import { humanDuration } from '@orrery/kinds/values'

/** The age of a timestamp in the format of kubectl's AGE column. */
export function ageOf(timestamp: string | undefined, now: Date = new Date()): string {
  const then = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now.getTime() - then)
}
