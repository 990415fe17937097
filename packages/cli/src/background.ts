import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { announceStart, type FleetDirectory, openLog, type PartState, startFleet } from '@orrery/fleet'
import { ENTRY, partCommand } from './entry.js'
import type { Progress } from './progress.js'
import { hubWish, servingWords } from './shared/serving.js'
import { onStopSignal } from './shared/stop-signal.js'
import { inWords } from './systemerror.js'
import type { UpOptions } from './up.js'

/** What the process in the background tells the one that people look at. */
type News =
  | { readonly type: 'state'; readonly state: PartState }
  /** Nothing more is waited for; these parts are not as they should be. */
  | { readonly type: 'settled'; readonly troubled: readonly PartState[] }
  | { readonly type: 'failed'; readonly message: string }

/**
 * Starts a process that keeps the fleet running, and waits until all of it is available, or for as long as it may take.
 * Returns the parts that are not available by then.
 */
export async function startInBackground(
  directory: FleetDirectory,
  options: UpOptions,
  progress: Progress,
): Promise<readonly PartState[]> {
  const { clusters, timeout, newStore = false } = options
  const logFile = directory.log('supervisor')
  const log = openLog(logFile)
  const anew = newStore ? ['--new-store'] : []
  const count = clusters === undefined ? [] : ['--clusters', String(clusters)]
  const words = [
    'up',
    '--background',
    '--data',
    directory.root,
    '--timeout',
    String(timeout),
    ...count,
    ...anew,
    ...servingWords(options),
  ]
  const child = spawn(process.execPath, [ENTRY, ...words], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  onStopSignal({ stop: () => child.kill('SIGTERM'), force: () => child.kill('SIGTERM') })
  // From here on this process can pass on that it is to stop.
  const announced = announceStart(directory)
  const troubled = await new Promise<readonly PartState[]>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`the fleet was stopped before it was available; see ${logFile}`)))
    child.on('message', (message) => {
      const news = message as News
      if (news.type === 'state') progress.update(news.state)
      else if (news.type === 'settled') resolve(news.troubled)
      else reject(new Error(news.message))
    })
  }).finally(announced)
  child.removeAllListeners()
  child.disconnect()
  child.unref()
  return troubled
}

/** Keeps the fleet running in this process, which nobody looks at, and tells the one that started it how it goes. */
export async function announceBackground(directory: FleetDirectory, options: UpOptions): Promise<void> {
  const { clusters, timeout, newStore = false } = options
  const tell = (news: News) => {
    if (process.connected) process.send?.(news, undefined, undefined, () => undefined)
  }
  try {
    const fleet = await startFleet({
      directory,
      clusters,
      hub: hubWish(options),
      command: (part) => partCommand(directory, part, newStore),
      onChange: (state) => tell({ type: 'state', state }),
    })
    onStopSignal({ stop: () => fleet.stop().catch(() => undefined), force: () => fleet.kill() })
    fleet.whenSettled(AbortSignal.timeout(timeout * 1_000)).then(
      (troubled) => tell({ type: 'settled', troubled }),
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
