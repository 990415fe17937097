import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { announceStart, type FleetDirectory, openLog, type PartState, startFleet } from '@orrery/fleet'
import { ENTRY, partCommand } from './entry.js'
import type { Progress } from './progress.js'
import { fleetAddOns } from './shared/fleet-add-ons.js'
import { hubSettings, servingArguments } from './shared/serving.js'
import { onStopSignal } from './shared/stop-signal.js'
import { errorMessage } from './system-error.js'
import type { UpOptions } from './up-options.js'

/** Messages from the background process to the process in the foreground. */
type BackgroundMessage =
  | { readonly type: 'state'; readonly state: PartState }
  /** The wait is over; these parts are not available. */
  | { readonly type: 'settled'; readonly unhealthy: readonly PartState[] }
  | { readonly type: 'failed'; readonly message: string }

/**
 * Starts the supervisor of the fleet in the background and waits until all parts are available or the timeout expires.
 * Returns the parts that are not available then.
 */
export async function startInBackground(
  directory: FleetDirectory,
  options: UpOptions,
  progress: Progress,
): Promise<readonly PartState[]> {
  const { clusters, timeout, newStore = false, addon = [], maestro = false, kubevirt = false, ovim = false } = options
  const logFile = directory.log('supervisor')
  const log = openLog(logFile)
  const anew = newStore ? ['--new-store'] : []
  const count = clusters === undefined ? [] : ['--clusters', String(clusters)]
  const commandLine = [
    'up',
    '--background',
    '--data',
    directory.root,
    '--timeout',
    String(timeout),
    ...count,
    ...anew,
    ...addon.flatMap((name) => ['--addon', name]),
    ...(maestro ? ['--maestro'] : []),
    ...(kubevirt ? ['--kubevirt'] : []),
    ...(ovim ? ['--ovim'] : []),
    ...servingArguments(options),
  ]
  const child = spawn(process.execPath, [ENTRY, ...commandLine], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  onStopSignal({ stop: () => child.kill('SIGTERM'), force: () => child.kill('SIGTERM') })
  // From here on this process forwards stop signals.
  const announced = announceStart(directory)
  const unhealthy = await new Promise<readonly PartState[]>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the fleet stopped before it was available: see ${logFile}`)))
    child.on('message', (message) => {
      const received = message as BackgroundMessage
      if (received.type === 'state') progress.update(received.state)
      else if (received.type === 'settled') resolve(received.unhealthy)
      else reject(new Error(received.message))
    })
  }).finally(announced)
  child.removeAllListeners()
  child.disconnect()
  child.unref()
  return unhealthy
}

/** Runs the supervisor in this background process and reports its progress to the process that started it. */
export async function announceBackground(directory: FleetDirectory, options: UpOptions): Promise<void> {
  const { clusters, timeout, newStore = false, addon = [], maestro = false, kubevirt = false, ovim = false } = options
  const send = (message: BackgroundMessage) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
  }
  try {
    const fleet = await startFleet({
      directory,
      clusters,
      addOns: await fleetAddOns(addon),
      parts: { maestro, kubevirt, ovim },
      hub: hubSettings(options),
      command: (part) => partCommand(directory, part, newStore),
      onChange: (state) => send({ type: 'state', state }),
    })
    onStopSignal({ stop: () => fleet.stop().catch(() => undefined), force: () => fleet.kill() })
    fleet.whenSettled(AbortSignal.timeout(timeout * 1_000)).then(
      (unhealthy) => send({ type: 'settled', unhealthy }),
      () => undefined,
    )
    await fleet.ended
  } catch (error) {
    send({ type: 'failed', message: errorMessage(error) })
    throw error
  } finally {
    if (process.connected) process.disconnect()
  }
}
