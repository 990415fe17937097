import {
  addToFleetKubeconfig,
  type FleetDirectory,
  type PartReport,
  type Supervisor,
  shellWord,
  supervisorHere,
} from '@orrery/fleet'
import type { RunningPart } from '@orrery/fleet/parts'
import { noteText, print, printText } from './shared/print.js'
import { stopSignal } from './shared/stop-signal.js'
import { errorMessage } from './system-error.js'

/** What a part receives from its host process. */
export interface PartHost {
  readonly report: (report: PartReport) => void
  /** Undefined if a user runs the part directly. */
  readonly supervisor: Supervisor | undefined
  /** Aborted when the part must stop, also while it starts. */
  readonly stopping: AbortSignal
}

/** How long the process of a part that failed may stay because of open handles. */
const LEFT_OPEN_MS = 2_000

/** Runs an embedded part in this process until a stop signal or the end of the supervisor. */
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
  const report = supervisor?.report ?? reportPrinter(directory)
  try {
    const part = await start({ supervisor, report, stopping })
    await over
    await part.close()
  } catch (error) {
    // Stopped before it had started.
    if (stopping.aborted && error === stopping.reason) return
    supervisor?.report({ type: 'failed', message: errorMessage(error), isPortTaken: isPortTaken(error) })
    setTimeout(() => process.exit(), LEFT_OPEN_MS).unref()
    throw error
  } finally {
    // An open channel to the supervisor would keep the process alive.
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

/** Prints reports in order. The kubeconfig is written before the API is reported as ready. */
function reportPrinter(directory: FleetDirectory): PartHost['report'] {
  let printed = Promise.resolve()
  return (report) => {
    printed = printed.then(() => printReport(directory, report))
  }
}

async function printReport(directory: FleetDirectory, report: PartReport): Promise<void> {
  if (report.type === 'phase') {
    const why = report.detail === undefined ? '' : `: ${report.detail}`
    print(`${report.phase}${why}`)
  }
  if (report.type !== 'serving') return
  try {
    await addToFleetKubeconfig(directory, report.kubeconfig)
    printText(`The API is ready at ${report.url}\n\n  export KUBECONFIG=${shellWord(directory.kubeconfig)}\n\n`)
  } catch (error) {
    noteText(`error: cannot write ${directory.kubeconfig}: ${errorMessage(error)}\n`)
  }
}
