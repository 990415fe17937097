import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { announceStart, type FleetDirectory, openLog, type PartState, startFleet } from '@orrery/fleet'
import { ENTRY, partCommand } from './entry.js'
import type { Progress } from './progress.js'
import { onStopSignal } from './shared/stopsignal.js'
import { inWords } from './systemerror.js'
import type { UpOptions } from './up.js'

/** What the process in the background tells the one that people look at. */
type News =
  | { readonly type: 'state'; readonly state: PartState }
  | { readonly type: 'available' }
  | { readonly type: 'failed'; readonly message: string }

/** Starts a process that keeps the fleet running, and waits until all of it is available. */
export async function startInBackground(
  directory: FleetDirectory,
  { clusters, newStore = false }: UpOptions,
  progress: Progress,
): Promise<void> {
  const logFile = directory.log('supervisor')
  const log = openLog(logFile)
  const anew = newStore ? ['--new-store'] : []
  const count = clusters === undefined ? [] : ['--clusters', String(clusters)]
  const child = spawn(process.execPath, [ENTRY, 'up', '--background', '--data', directory.root, ...count, ...anew], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  onStopSignal({ stop: () => child.kill('SIGTERM'), force: () => child.kill('SIGTERM') })
  // From here on this process can pass on that it is to stop.
  const announced = announceStart(directory)
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the fleet was stopped before it was available; see ${logFile}`)))
    child.on('message', (message) => {
      const news = message as News
      if (news.type === 'state') progress.update(news.state)
      else if (news.type === 'available') resolve()
      else reject(new Error(news.message))
    })
  }).finally(announced)
  child.removeAllListeners()
  child.disconnect()
  child.unref()
}

/** Keeps the fleet running in this process, which nobody looks at, and tells the one that started it how it goes. */
export async function announceBackground(
  directory: FleetDirectory,
  { clusters, newStore = false }: UpOptions,
): Promise<void> {
  const tell = (news: News) => {
    if (process.connected) process.send?.(news, undefined, undefined, () => undefined)
  }
  try {
    const fleet = await startFleet({
      directory,
      clusters,
      command: (part) => partCommand(directory, part, newStore),
      onChange: (state) => tell({ type: 'state', state }),
    })
    onStopSignal({ stop: () => fleet.stop().catch(() => undefined), force: () => fleet.kill() })
    fleet.whenAvailable().then(
      () => tell({ type: 'available' }),
      () => undefined,
    )
    await fleet.ended
  } catch (error) {
    tell({ type: 'failed', message: inWords(error) })
    throw error
  } finally {
    if (process.connected) process.disconnect()
  }
}
