import { NotStarted } from '../container/live.js'
import { type CheckResult, FINE } from '../probes/checkresult.js'
import { GroupProcess } from './childprocess.js'

/** How much of what a command says is kept. */
const OUTPUT_BYTES = 10 * 1024

export interface ExecuteOptions {
  readonly command: () => readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly directory: string
}

/** Runs a command for a probe or a hook: it is well when it ends with 0, and ended when the signal says so. */
export async function executeCommand(options: ExecuteOptions, signal: AbortSignal): Promise<CheckResult> {
  const output: Buffer[] = []
  let size = 0
  const onOutput = (_: unknown, piece: Buffer) => {
    if (size < OUTPUT_BYTES) output.push(piece.subarray(0, OUTPUT_BYTES - size))
    size += piece.length
    return undefined
  }
  let child: GroupProcess
  try {
    const { environment, directory } = options
    child = await GroupProcess.start({ command: options.command(), environment, directory, onOutput })
  } catch (error) {
    if (error instanceof NotStarted) return { ok: false, message: error.message }
    return { ok: false, message: `command could not be run: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}` }
  }
  const kill = () => child.kill('SIGKILL')
  if (signal.aborted) kill()
  signal.addEventListener('abort', kill, { once: true })
  const { exitCode } = await child.ended
  signal.removeEventListener('abort', kill)
  if (signal.aborted) return { ok: false, message: 'command timed out' }
  return exitCode === 0
    ? FINE
    : { ok: false, message: Buffer.concat(output).toString('utf8') || `exit code ${exitCode}` }
}
