import { setTimeout as delay } from 'node:timers/promises'
import { supervisorOf } from './claim.js'
import type { FleetDirectory } from './directory.js'
import { isRunning } from './processmark.js'

/** Parts get 15 seconds each, clusters before the hub. */
const PATIENCE_MS = 40_000
const PAUSE_MS = 20

/** Stops a fleet that another process keeps running, and waits for its end. Resolves with whether there was one. */
export async function stopFleet(directory: FleetDirectory): Promise<boolean> {
  const supervisor = supervisorOf(directory)
  if (supervisor === undefined) return false
  process.kill(supervisor.pid, 'SIGTERM')
  const giveUpAt = performance.now() + PATIENCE_MS
  while (isRunning(supervisor)) {
    if (performance.now() > giveUpAt) {
      throw new Error(`the fleet in ${directory.root} does not stop: process ${supervisor.pid} keeps it running`)
    }
    await delay(PAUSE_MS)
  }
  return true
}
