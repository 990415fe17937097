import { NotStarted } from '../container/not-started.js'
import type { GroupProcess } from '../os/child-process.js'
import type { Begin } from '../probes/check.js'
import { type CheckResult, FINE } from '../probes/check-result.js'
import type { Workspace } from './workspace.js'

/** The maximum output that is kept of a command. */
const OUTPUT_BYTES = 10 * 1024

/** Runs a command for a probe or a hook. It succeeds if it exits with 0. The signal, whose time begins with the command, ends it. */
export async function executeCommand(
  workspace: Workspace,
  wanted: readonly string[],
  begin: Begin,
): Promise<CheckResult> {
  const output: Buffer[] = []
  let size = 0
  const onOutput = (_: unknown, piece: Buffer) => {
    if (size < OUTPUT_BYTES) output.push(piece.subarray(0, OUTPUT_BYTES - size))
    size += piece.length
    return undefined
  }
  let child: GroupProcess
  try {
    child = await workspace.enter(await workspace.offeredCommand(wanted), { onOutput, hasInput: false })
  } catch (error) {
    if (error instanceof NotStarted) return { ok: false, message: error.message }
    throw error
  }
  const signal = begin()
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
