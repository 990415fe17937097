import { CommanderError } from 'commander'
import { plainText } from './shared/table.js'
import { inWords } from './systemerror.js'

/** Exit codes: 1 when something failed, 2 when it was asked for wrongly. */
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** Tells people what went wrong, in a line and without a stack. Returns the exit code. */
export function reportFailure(error: unknown): number {
  // Wrong usage has been told by then, and so have help and version, which end this way too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  // What servers and files say is told, too: it may break the line, and do nothing else to a terminal.
  process.stderr.write(`error: ${inWords(error).split('\n').map(plainText).join('\n')}\n`)
  if (process.env.ORRERY_DEBUG !== undefined && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`)
  return EXIT_FAILED
}
