import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GroupProcess } from '../os/child-process.js'
import type { Workspace } from '../process/workspace.js'
import { Terminal } from './terminal.js'

/** A container that records commands without running them. A test ends each command. */
class CountedWorkspace {
  readonly commands: (readonly string[])[] = []
  readonly #ends: (() => void)[] = []
  #wake: () => void = () => undefined

  async enter(command: readonly string[]): Promise<GroupProcess> {
    const ended = new Promise<void>((resolve) => this.#ends.push(resolve))
    this.commands.push(command)
    this.#wake()
    const report = command[0] === '/script' ? ['/dev/pts/0\n'] : []
    return { ended, report } as unknown as GroupProcess
  }

  endLast(): void {
    this.#ends.at(-1)?.()
  }

  async whenEntered(count: number): Promise<void> {
    while (this.commands.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }
}

test('Terminal: applies sizes one at a time and skips to the last', async () => {
  const workspace = new CountedWorkspace()
  const tools = { script: '/script', stty: '/stty', tty: '/tty' }
  const terminal = new Terminal(workspace as unknown as Workspace, tools)
  await terminal.start(['sh'], { onOutput: () => undefined, hasInput: false })
  for (let columns = 1; columns <= 1_000; columns++) terminal.resize({ rows: 20, columns })
  await workspace.whenEntered(2)
  for (let columns = 1_001; columns <= 2_000; columns++) terminal.resize({ rows: 20, columns })
  workspace.endLast()
  await workspace.whenEntered(3)
  workspace.endLast()
  terminal.resize({ rows: 10, columns: 10 })
  await workspace.whenEntered(4)
  const sizes = workspace.commands.slice(1).map((command) => command.slice(-3).join(' '))
  assert.deepEqual(sizes, ['20 cols 1000', '20 cols 2000', '10 cols 10'])
})
