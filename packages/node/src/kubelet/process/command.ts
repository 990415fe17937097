import type { Container } from '@orrery/kinds'
import { NotStarted, RUN_ERROR } from '../container/not-started.js'
import type { Program } from '../programs/program.js'
import { variableBudget } from './environment.js'
import { expand } from './expansion.js'

/** The command line of a container. */
export interface ProgramCommand {
  /** The part from the registration, with paths of this machine; empty if the container provides the command. */
  readonly registered: readonly string[]
  /** The arguments of the container or the default arguments, with paths of the container. */
  readonly own: readonly string[]
}

/** Returns the command of a container: that of the program, or one of the commands that the program allows. */
export function commandOf(
  program: Program,
  container: Container,
  lookUp: (name: string) => string | undefined,
): ProgramCommand {
  const budget = variableBudget(container)
  const expanded = (texts: readonly string[]) => texts.map((text) => expand(text, lookUp, budget))
  const { command = [], args = [] } = container
  if (command.length > 0) {
    return allowedCommand(program, [...expanded(command), ...expanded(args)])
  }
  const own = args.length > 0 ? expanded(args) : (program.args ?? [])
  if (program.command.length > 0) {
    checkArguments(program, args)
    return { registered: program.command, own }
  }
  // The default arguments are not those of a container.
  return allowedCommand(args.length > 0 ? program : { ...program, fixedArgs: false }, own)
}

/**
 * Returns the command line for a command of a container, a probe or a hook. Throws `NotStarted` if the program does not
 * allow it.
 */
export function allowedCommand(program: Program, command: readonly string[]): ProgramCommand {
  const [name = '', ...args] = command
  const { commands = {} } = program
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (known !== undefined) {
    checkArguments(program, args)
    return { registered: known, own: args }
  }
  if (program.anyCommand === true) return { registered: [], own: command }
  const why = `the node's program for this image does not allow the command ${JSON.stringify(name)}`
  throw new NotStarted(RUN_ERROR, `${why}: add it to commands of the registration`)
}

function checkArguments({ fixedArgs }: Program, args: readonly string[]): void {
  if (fixedArgs !== true || args.length === 0) return
  const why = "the node's program for this image accepts no arguments from containers"
  throw new NotStarted(RUN_ERROR, `${why}: remove them, or remove fixedArgs from the registration`)
}
