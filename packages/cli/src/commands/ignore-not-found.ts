import type { Command } from 'commander'

export interface IgnoreNotFoundOptions {
  readonly ignoreNotFound?: boolean
}

/** `--ignore-not-found`, as kubectl has it, for commands that remove something. */
export function addIgnoreNotFoundOption(command: Command): Command {
  return command.option('--ignore-not-found', 'exit with 0, not 1, if there is nothing to remove')
}

/** Fails because what was to be removed is not there, unless that is ignored: then it is only reported. */
export function reportNotFound(message: string, { ignoreNotFound = false }: IgnoreNotFoundOptions): void {
  if (!ignoreNotFound) throw new Error(message)
  process.stderr.write(`${message}\n`)
}
