import type { Container } from '@orrery/kube/kinds'
import { NotStarted, RUN_ERROR } from '../container/live.js'
import type { Program } from '../programs/program.js'
import { expand } from './expansion.js'

/** What runs for a container: the program's command, or one of its own that the program lets it name. */
export function commandOf(
  program: Program,
  container: Container,
  lookUp: (name: string) => string | undefined,
): readonly string[] {
  const expanded = (texts: readonly string[]) => texts.map((text) => expand(text, lookUp))
  const { command = [], args = [] } = container
  if (command.length > 0) return [...allowedCommand(program, expanded(command)), ...expanded(args)]
  return [...program.command, ...(args.length > 0 ? expanded(args) : (program.args ?? []))]
}

/** What runs when a container, a probe or a hook names a command. Throws `NotStarted` when the program does not offer it. */
export function allowedCommand(program: Program, command: readonly string[]): readonly string[] {
  const [name = '', ...args] = command
  const { commands = {} } = program
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (known !== undefined) return [...known, ...args]
  if (program.anyCommand === true) return command
  const why = `the node's program for this image does not offer the command ${JSON.stringify(name)}`
  throw new NotStarted(RUN_ERROR, `${why}: add it to its commands`)
}
