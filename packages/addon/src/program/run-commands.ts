import { UsageError } from './usage-error.js'

/** A command of a program. It gets the arguments that follow its name. */
export type Command = (args: readonly string[]) => Promise<unknown>

/** What a program reads and writes. Default: of the process. */
export interface ProgramEnvironment {
  readonly args?: readonly string[]
  readonly write?: (line: string) => void
}

/**
 * Runs the command that the first argument names: an add-on has one program for its controller and its agent. Returns the exit code:
 * 0 on success, 1 on failure, 2 for arguments that are not valid.
 */
export async function runCommands(
  name: string,
  commands: Readonly<Record<string, Command>>,
  environment: ProgramEnvironment = {},
): Promise<number> {
  const { args = process.argv.slice(2), write = (line) => process.stderr.write(`${line}\n`) } = environment
  const [wanted = '', ...rest] = args
  try {
    const command = Object.hasOwn(commands, wanted) ? commands[wanted] : undefined
    if (command === undefined) {
      const choice = Object.keys(commands).join('|')
      throw new UsageError(`unknown command ${JSON.stringify(wanted)}: run ${name} ${choice}`)
    }
    await command(rest)
    return 0
  } catch (error) {
    write(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    return error instanceof UsageError ? 2 : 1
  }
}
