import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'

/** Of a process that always has work. */
const MAX_PAUSES = 5

/**
 * Waits until this process had nothing to do for half of a pause, for a limited number of pauses. A fixed time is too
 * short on a busy machine: what follows a step of the clock of a test would not have happened before the next.
 */
export async function whenQuiet(pauseMilliseconds: number): Promise<void> {
  for (let pause = 0; pause < MAX_PAUSES; pause++) {
    const before = performance.eventLoopUtilization()
    await delay(pauseMilliseconds)
    if (performance.eventLoopUtilization(before).idle >= pauseMilliseconds / 2) return
  }
}
