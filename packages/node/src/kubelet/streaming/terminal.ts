import { badRequest } from '@orrery/kinds/values'
import type { CommandRunner } from '../container/live.js'
import { commandLine } from '../isolation/shell.js'
import { TOOL_PATH } from '../isolation/tools.js'
import type { GroupProcess } from '../os/child-process.js'
import { findExecutable } from '../os/executable.js'
import type { ProcessStreams } from '../os/output.js'
import type { TerminalSize } from './channels.js'

/**
 * A terminal for a command. Node.js has none, so `script` of util-linux creates one and passes its output on. The
 * command reports its device at descriptor 4, so that the size can be set.
 */
export class Terminal {
  readonly #workspace: CommandRunner
  readonly #tools: Readonly<Record<'script' | 'stty' | 'tty', string>>
  #device: Promise<string | undefined> = Promise.resolve(undefined)
  /** The last requested size, until it is applied. */
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

  /** Sets the size with one process at a time: of the sizes that arrive meanwhile only the last is applied. */
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
        // The command may have ended, and its terminal with it.
      }
      size = this.#size === size ? undefined : this.#size
    }
    this.#size = undefined
  }
}

/** Returns a terminal for a container's command. Throws a 400 if the machine cannot create one. */
export async function terminalFor(workspace: CommandRunner): Promise<Terminal> {
  const [script, stty, tty] = await Promise.all(
    ['script', 'stty', 'tty'].map((name) =>
      process.platform === 'linux' ? findExecutable(name, TOOL_PATH, '/') : undefined,
    ),
  )
  if (script === undefined || stty === undefined || tty === undefined) {
    throw badRequest('this node cannot create a terminal: install script (util-linux), or omit --tty')
  }
  return new Terminal(workspace, { script, stty, tty })
}

/** The maximum length of a device name. The container may have a different `tty` that prints endlessly. */
const MAX_NAME = 256

async function deviceIn(child: GroupProcess): Promise<string | undefined> {
  let text = ''
  for await (const piece of child.report ?? []) {
    text += String(piece)
    if (text.endsWith('\n') || text.length > MAX_NAME) break
  }
  return /^\/dev\/[\w/]+$/.test(text.trim()) ? text.trim() : undefined
}
