import assert from 'node:assert/strict'
import { type Command, CommanderError } from 'commander'
import { reportFailure } from './failure.js'
import { program } from './program.js'

/** Runs the command line in this process. Only for what ends before a server starts. */
export async function run(...args: readonly string[]) {
  const orrery = program()
  let out = ''
  let errors = ''
  const listen = (command: Command) => {
    command.configureOutput({
      writeOut: (text) => {
        out += text
      },
      writeErr: (text) => {
        errors += text
      },
    })
    for (const child of command.commands) listen(child)
  }
  listen(orrery)
  const failure: unknown = await orrery.parseAsync(args, { from: 'user' }).then(
    () => undefined,
    (error: unknown) => error,
  )
  assert.ok(failure instanceof CommanderError, String(failure))
  return { code: reportFailure(failure), out, errors }
}
