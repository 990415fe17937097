import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from '@orrery/kube/process'
import { starterOf, supervisorOf } from './claim.js'
import type { FleetDirectory } from './directory.js'

/** Parts get 15 seconds each, clusters before the hub. */
const TIMEOUT_MS = 40_000
const PAUSE_MS = 20

/** Stops a fleet that another process runs or starts, and waits for its end. Resolves with whether there was one. */
export async function stopFleet(directory: FleetDirectory): Promise<boolean> {
  const supervisor = supervisorOf(directory)
  const told = supervisor ?? starterOf(directory)
  if (told === undefined) return false
  process.kill(told.pid, 'SIGTERM')
  // A starter forwards the signal, and may end before the supervisor does.
  const left = () => (isRunning(told) ? told : supervisor === undefined ? supervisorOf(directory) : undefined)
  const giveUpAt = performance.now() + TIMEOUT_MS
  for (let running = left(); running !== undefined; running = left()) {
    if (performance.now() > giveUpAt) {
      throw new Error(`the fleet in ${directory.root} does not stop: process ${running.pid} is still running`)
    }
    await delay(PAUSE_MS)
  }
  return true
}
