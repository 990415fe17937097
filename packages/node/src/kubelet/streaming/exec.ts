import type { JsonObject } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import type { MessageSocket } from '@orrery/kube'
import { NotStarted } from '../container/live.js'
import type { GroupProcess } from '../process/child-process.js'
import type { Workplace } from '../process/workplace.js'
import { CommandChannels, type WantedStreams } from './channels.js'
import { terminalFor } from './terminal.js'

export interface ExecRequest extends WantedStreams {
  readonly command: readonly string[]
  readonly tty: boolean
}

/** Prepares a command for a client. Throws a 400 for one that cannot be run; what it returns serves it. */
export async function prepareExec(
  workplace: Workplace,
  request: ExecRequest,
): Promise<(socket: MessageSocket) => Promise<void>> {
  const command = await offered(workplace, request.command)
  const terminal = request.tty ? await terminalFor(workplace) : undefined
  return async (socket) => {
    const channels = new CommandChannels(socket, { ...request, stderr: request.stderr && !request.tty })
    const streams = { onOutput: channels.output, hasInput: request.stdin }
    let child: GroupProcess
    try {
      child = await (terminal === undefined ? workplace.enter(command, streams) : terminal.start(command, streams))
    } catch (error) {
      if (!(error instanceof NotStarted)) throw error
      channels.finish({ status: 'Failure', reason: 'InternalError', message: error.message, code: 500 })
      return
    }
    socket.onClose(() => child.kill('SIGKILL'))
    channels.feed(child.input, true)
    channels.onResize((size) => terminal?.resize(size))
    const { exitCode } = await child.ended
    channels.finish(endStatus(exitCode))
  }
}

async function offered(workplace: Workplace, command: readonly string[]): Promise<readonly string[]> {
  try {
    return await workplace.executedCommand(command)
  } catch (error) {
    if (error instanceof NotStarted) throw badRequest(error.message)
    throw error
  }
}

/** How a command ended, as clients read it from the error channel. */
function endStatus(exitCode: number): JsonObject {
  if (exitCode === 0) return { status: 'Success' }
  return {
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}
