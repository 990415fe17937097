import { reportFailure } from './failure.js'
import { program } from './program.js'

// Whoever reads may stop early, as `head` does: what is under way goes on without being read.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

program()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.exitCode = reportFailure(error)
  })
