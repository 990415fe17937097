import { setTimeout as delay } from 'node:timers/promises'
import { isRunning } from '@orrery/kube/process'
import type { FleetDirectory } from './directory.js'
import { recordedParts } from './run-record.js'

const TIMEOUT_MS = 20_000
const PAUSE_MS = 50

/** Waits for the parts of a fleet whose supervisor was killed: they notice it and stop. */
export async function outlive(directory: FleetDirectory): Promise<void> {
  const left = (await recordedParts(directory)).flatMap(({ name, process }) => (process ? [{ name, process }] : []))
  const giveUpAt = performance.now() + TIMEOUT_MS
  for (const { name, process } of left) {
    while (isRunning(process)) {
      if (performance.now() > giveUpAt) throw new Error(`${name} still runs as process ${process.pid}: stop it first`)
      await delay(PAUSE_MS)
    }
  }
}
