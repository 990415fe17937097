import { reportFailure } from './failure.js'
import { program } from './program.js'

program()
  .parseAsync(process.argv)
  .catch((error: unknown) => {
    process.exitCode = reportFailure(error)
  })
