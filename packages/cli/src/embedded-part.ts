import {
  addToFleetKubeconfig,
  type FleetDirectory,
  type PartReport,
  type Supervisor,
  shellWord,
  supervisorHere,
} from '@orrery/fleet'
import type { RunningPart } from '@orrery/fleet/parts'
import { stopSignal } from './shared/stop-signal.js'
import { plainText } from './shared/table.js'
import { inWords } from './systemerror.js'

/** What a part gets from whoever runs it. */
export interface PartHost {
  readonly report: (report: PartReport) => void
  /** Absent when people run the part by itself. */
  readonly supervisor: Supervisor | undefined
  /** Aborted when the part is to stop, so that it does not go on starting. */
  readonly stopping: AbortSignal
}

/** Runs an embedded part in this process until it is told to stop, be it by people or by what keeps the fleet running. */
export async function runPart(
  directory: FleetDirectory,
  start: (host: PartHost) => Promise<RunningPart>,
): Promise<void> {
  const supervisor = supervisorHere()
  const ending = new AbortController()
  const stopping = ending.signal
  const over = Promise.race([stopSignal(), ...(supervisor === undefined ? [] : [goneOf(supervisor)])]).then(() =>
    ending.abort(),
  )
  const report = supervisor?.report ?? tellingPeople(directory)
  try {
    const part = await start({ supervisor, report, stopping })
    await over
    await part.close()
  } catch (error) {
    // It was told to stop before it had started.
    if (stopping.aborted && error === stopping.reason) return
    supervisor?.report({ type: 'failed', message: inWords(error), isPortTaken: isPortTaken(error) })
    throw error
  } finally {
    // The way to the supervisor would keep the process from ending.
    if (process.connected) process.disconnect()
  }
}

function goneOf(supervisor: Supervisor): Promise<void> {
  return new Promise((resolve) => supervisor.onGone(resolve))
}

function isPortTaken(error: unknown): boolean {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: unknown }
  return code === 'EADDRINUSE' || (cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
}

/** Tells people one thing after the other: what is ready can be used, with the kubeconfig that is written before. */
function tellingPeople(directory: FleetDirectory): PartHost['report'] {
  let told = Promise.resolve()
  return (report) => {
    told = told.then(() => tellPeople(directory, report))
  }
}

async function tellPeople(directory: FleetDirectory, report: PartReport): Promise<void> {
  if (report.type === 'phase') {
    const why = report.detail === undefined ? '' : `: ${plainText(report.detail)}`
    process.stdout.write(`${report.phase}${why}\n`)
  }
  if (report.type !== 'serving') return
  try {
    await addToFleetKubeconfig(directory, report.kubeconfig)
    process.stdout.write(
      `The API is ready at ${report.url}\n\n  export KUBECONFIG=${shellWord(directory.kubeconfig)}\n\n`,
    )
  } catch (error) {
    process.stderr.write(`error: ${directory.kubeconfig} cannot be written: ${inWords(error)}\n`)
  }
}
