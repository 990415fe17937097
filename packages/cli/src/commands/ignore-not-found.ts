import type { Command } from 'commander'
import { note } from '../shared/print.js'

export interface IgnoreNotFoundOptions {
  readonly ignoreNotFound?: boolean
}

/** `--ignore-not-found`, as in kubectl, for commands that delete objects. */
export function addIgnoreNotFoundOption(command: Command): Command {
  return command.option('--ignore-not-found', 'exit with 0 if the object does not exist')
}

/** Fails because the object does not exist. With `--ignore-not-found`, only prints the message. */
export function reportNotFound(message: string, { ignoreNotFound = false }: IgnoreNotFoundOptions): void {
  if (!ignoreNotFound) throw new Error(message)
  note(message)
}
