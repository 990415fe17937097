import type { JsonObject } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import type { MessageSocket } from '@orrery/kube/transport'
import type { CommandRunner } from '../container/live.js'
import { NotStarted } from '../container/not-started.js'
import type { GroupProcess } from '../os/child-process.js'
import { CommandChannels, type WantedStreams } from './channels.js'
import { terminalFor } from './terminal.js'

export interface ExecRequest extends WantedStreams {
  readonly command: readonly string[]
  readonly tty: boolean
}

/** Prepares a command for a client. Throws a 400 if it cannot be run. The returned function serves it. */
export async function prepareExec(
  workspace: CommandRunner,
  request: ExecRequest,
): Promise<(socket: MessageSocket) => Promise<void>> {
  const command = await offered(workspace, request.command)
  const terminal = request.tty ? await terminalFor(workspace) : undefined
  return async (socket) => {
    const channels = new CommandChannels(socket, { ...request, stderr: request.stderr && !request.tty })
    const streams = { onOutput: channels.output, hasInput: request.stdin }
    let isClosed = false
    socket.onClose(() => {
      isClosed = true
    })
    let child: GroupProcess
    try {
      const started = await inTurn(workspace, async () => {
        if (isClosed) return undefined
        return terminal === undefined ? workspace.enter(command, streams) : terminal.start(command, streams)
      })
      if (started === undefined) return
      child = started
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

/** The last queued start of each container. */
const turns = new WeakMap<CommandRunner, Promise<void>>()

/**
 * Starts the commands of a container one at a time. Starting a process blocks this thread until the system runs it, so
 * hundreds at once would block the node and the API server in the same process.
 */
function inTurn<T>(workspace: CommandRunner, start: () => Promise<T>): Promise<T> {
  const started = (turns.get(workspace) ?? Promise.resolve()).then(start)
  turns.set(workspace, started.then(othersFirst, othersFirst))
  return started
}

function othersFirst(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

async function offered(workspace: CommandRunner, command: readonly string[]): Promise<readonly string[]> {
  try {
    return await workspace.executedCommand(command)
  } catch (error) {
    if (error instanceof NotStarted) throw badRequest(error.message)
    throw error
  }
}

/** Returns the status of a command for the error channel. */
function endStatus(exitCode: number): JsonObject {
  if (exitCode === 0) return { status: 'Success' }
  return {
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  }
}
