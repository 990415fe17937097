import type { CronJob } from '@orrery/kinds'
import type { Schedule } from './schedule.js'

/** The missed times of a schedule. */
export interface Due {
  /** The latest time that is over and not handled. */
  readonly missed: number | undefined
  /** Whether too many times were missed (more than 100 upstream). */
  readonly isFarBehind: boolean
  readonly next: number | undefined
}

const MANY = 100
const MINUTE = 60_000

export function dueTimes({ metadata, spec, status }: CronJob, schedule: Schedule, now: number): Due {
  const { startingDeadlineSeconds } = spec
  let from = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp)
  if (startingDeadlineSeconds !== undefined) from = Math.max(from, now - startingDeadlineSeconds * 1000)
  return {
    missed: latest(schedule, from, now),
    isFarBehind: isFarBehind(schedule, from, now),
    next: schedule.next(now),
  }
}

/**
 * Returns the last time of a schedule before now. It searches backwards from now in growing steps, since counting
 * forwards from years ago would take too long.
 */
function latest(schedule: Schedule, from: number, now: number): number | undefined {
  for (let step = MINUTE; ; step *= 2) {
    const start = Math.max(from, now - step)
    let found = upTo(now, schedule.next(start))
    if (found === undefined) {
      if (start === from) return undefined
      continue
    }
    for (let next = found as number | undefined; next !== undefined; next = upTo(now, schedule.next(next))) found = next
    return found
  }
}

function isFarBehind(schedule: Schedule, from: number, now: number): boolean {
  let count = 0
  for (let next = upTo(now, schedule.next(from)); next !== undefined; next = upTo(now, schedule.next(next))) {
    if (++count > MANY) return true
  }
  return false
}

function upTo(now: number, time: number | undefined): number | undefined {
  return time !== undefined && time <= now ? time : undefined
}
