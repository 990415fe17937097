import { reportFailure } from './failure.js'
import { program } from './program.js'

// A reader such as `head` can close the pipe early: the command continues without output.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = reportFailure(error)
})
// Standard error is the last resort: its errors cannot be reported.
process.stderr.on('error', () => undefined)

program()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.exitCode = reportFailure(error)
  })
