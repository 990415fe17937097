import { reportFailure } from './failure.js'
import { program } from './program.js'

// Whoever reads may stop early, as `head` does: what is under way goes on without being read.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') process.exitCode = reportFailure(error)
})
// Nobody could be told.
process.stderr.on('error', () => undefined)

program()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.exitCode = reportFailure(error)
  })
