import type { Container } from '@orrery/kinds'
import { NotStarted, RUN_ERROR } from '../container/not-started.js'
import type { Program } from '../programs/program.js'
import { expand } from './expansion.js'

/** What runs for a container. */
export interface ProgramCommand {
  /** What the registration says runs, as this machine has it; empty for a command that is the container's own. */
  readonly registered: readonly string[]
  /** What the container adds, or the arguments that it gets by default, with paths as the container has them. */
  readonly own: readonly string[]
}

/** What runs for a container: the program's command, or one of its own that the program offers it. */
export function commandOf(
  program: Program,
  container: Container,
  lookUp: (name: string) => string | undefined,
): ProgramCommand {
  const expanded = (texts: readonly string[]) => texts.map((text) => expand(text, lookUp))
  const { command = [], args = [] } = container
  if (command.length > 0) {
    return allowedCommand(program, [...expanded(command), ...expanded(args)])
  }
  checkArguments(program, args)
  return { registered: program.command, own: args.length > 0 ? expanded(args) : (program.args ?? []) }
}

/** What runs when a container, a probe or a hook names a command. Throws `NotStarted` when the program does not offer it. */
export function allowedCommand(program: Program, command: readonly string[]): ProgramCommand {
  const [name = '', ...args] = command
  const { commands = {} } = program
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (known !== undefined) {
    checkArguments(program, args)
    return { registered: known, own: args }
  }
  if (program.anyCommand === true) return { registered: [], own: command }
  const why = `the node's program for this image does not offer the command ${JSON.stringify(name)}`
  throw new NotStarted(RUN_ERROR, `${why}: add it to its commands`)
}

function checkArguments({ fixedArgs }: Program, args: readonly string[]): void {
  if (fixedArgs !== true || args.length === 0) return
  const why = "the node's program for this image takes no arguments from containers"
  throw new NotStarted(RUN_ERROR, `${why}: remove them, or fixedArgs from its registration`)
}
