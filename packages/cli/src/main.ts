import { program } from './program.js'
import { reportFailure } from './failure.js'

program()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.exitCode = reportFailure(error)
  })
