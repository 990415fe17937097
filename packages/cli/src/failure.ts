/** A mistake of the user's: told in one line, without a stack. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

/** Exit codes: 1 when something failed, 2 when it was asked for wrongly. */
export const EXIT_FAILED = 1
export const EXIT_USAGE = 2

/** Tells people what went wrong. Returns the exit code. */
export function reportFailure(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(`error: ${message}\n`)
  if (process.env['ORRERY_DEBUG'] !== undefined && error instanceof Error)
    process.stderr.write(`${error.stack ?? ''}\n`)
  return error instanceof UsageError ? EXIT_USAGE : EXIT_FAILED
}
