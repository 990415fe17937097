import { humanDuration } from '@orrery/kube'

/** How long ago a timestamp was, as kubectl's AGE column says it. */
export function ageOf(timestamp: string | undefined, now: Date = new Date()): string {
  const then = timestamp === undefined ? Number.NaN : Date.parse(timestamp)
  return Number.isNaN(then) ? '<unknown>' : humanDuration(now.getTime() - then)
}
