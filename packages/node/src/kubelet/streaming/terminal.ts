import { badRequest } from '@orrery/kinds/values'
import type { CommandRunner } from '../container/live.js'
import { commandLine } from '../isolation/shell.js'
import { TOOL_PATH } from '../isolation/tools.js'
import type { GroupProcess } from '../os/child-process.js'
import { findExecutable } from '../os/executable.js'
import type { ProcessStreams } from '../os/output.js'
import type { TerminalSize } from './channels.js'

/**
 * A terminal for a command. Node.js has none: `script` of util-linux makes one, and passes its output on. The command says
 * at descriptor 4 which device it is, so that its size can be set.
 */
export class Terminal {
  readonly #workspace: CommandRunner
  readonly #tools: Readonly<Record<'script' | 'stty' | 'tty', string>>
  #device: Promise<string | undefined> = Promise.resolve(undefined)
  /** The last size that was asked for, until it is set. */
  #size: TerminalSize | undefined

  constructor(workspace: CommandRunner, tools: Readonly<Record<'script' | 'stty' | 'tty', string>>) {
    this.#workspace = workspace
    this.#tools = tools
  }

  async start(command: readonly string[], streams: ProcessStreams): Promise<GroupProcess> {
    const { script, tty } = this.#tools
    const line = `${commandLine([tty])} >&4; exec 4>&-; exec ${commandLine(command)}`
    const variables = new Map([
      ['SHELL', '/bin/sh'],
      ['TERM', 'xterm'],
    ])
    const wrapped = [script, '-q', '-f', '-e', '-c', line, '/dev/null']
    const child = await this.#workspace.enter(wrapped, { ...streams, hasReport: true, variables })
    this.#device = deviceIn(child)
    return child
  }

  /** Sets the size, one process at a time: of sizes that come meanwhile only the last one counts. */
  resize(size: TerminalSize): void {
    const isBusy = this.#size !== undefined
    this.#size = size
    if (!isBusy) void this.#resize()
  }

  async #resize(): Promise<void> {
    const device = await this.#device
    for (let size = this.#size; size !== undefined && device !== undefined; ) {
      const { rows, columns } = size
      const command = [this.#tools.stty, '-F', device, 'rows', String(rows), 'cols', String(columns)]
      try {
        const child = await this.#workspace.enter(command, { onOutput: () => undefined, hasInput: false })
        await child.ended
      } catch {
        // The command may have ended meanwhile, and its terminal with it.
      }
      size = this.#size === size ? undefined : this.#size
    }
    this.#size = undefined
  }
}

/** A terminal for a container's command. Throws a 400 when the machine has none to give. */
export async function terminalFor(workspace: CommandRunner): Promise<Terminal> {
  const [script, stty, tty] = await Promise.all(
    ['script', 'stty', 'tty'].map((name) =>
      process.platform === 'linux' ? findExecutable(name, TOOL_PATH, '/') : undefined,
    ),
  )
  if (script === undefined || stty === undefined || tty === undefined) {
    throw badRequest('this node cannot give a terminal: that needs script of util-linux; leave --tty out')
  }
  return new Terminal(workspace, { script, stty, tty })
}

/** Of a device. The container may have another `tty`, which prints without end. */
const MAX_NAME = 256

async function deviceIn(child: GroupProcess): Promise<string | undefined> {
  let text = ''
  for await (const piece of child.report ?? []) {
    text += String(piece)
    if (text.endsWith('\n') || text.length > MAX_NAME) break
  }
  return /^\/dev\/[\w/]+$/.test(text.trim()) ? text.trim() : undefined
}
