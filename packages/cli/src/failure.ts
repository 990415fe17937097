import { CommanderError } from 'commander'
import { noteText } from './shared/print.js'
import { errorMessage } from './system-error.js'

/** Exit codes: 1 failure, 2 usage error. */
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** Prints an error without its stack. Returns the exit code. */
export function reportFailure(error: unknown): number {
  // Commander has printed usage errors already, and help and version, which it throws as errors too.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE
  noteText(`error: ${errorMessage(error)}\n`)
  if (process.env.ORRERY_DEBUG !== undefined && error instanceof Error) noteText(`${error.stack ?? ''}\n`)
  return EXIT_FAILED
}
