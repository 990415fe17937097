import { obstacleOf } from './systemerror.js'

interface StartPlace {
  readonly host: string
  readonly port: number
  readonly dataDirectory: string
}

/** Says in words what kept a server from starting, where the system gives a code; other errors speak for themselves. */
export function explainStart(error: unknown, { host, port, dataDirectory }: StartPlace): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') {
    return new Error(
      `${host}:${port} is in use by another program: stop it, or choose another port with --port (0 picks a free one)`,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`${host} is not an address of this machine: choose another with --host`)
  }
  if (syscall === 'listen' || syscall === 'bind') {
    return new Error(`${host}:${port} could not be opened (${code}): choose another port with --port`)
  }
  const obstacle = obstacleOf(error)
  if (obstacle === undefined) return error
  const { path, why } = obstacle
  if (!path.startsWith(dataDirectory) && !dataDirectory.startsWith(path)) return error
  return new Error(
    `the data directory ${dataDirectory} cannot be used: ${why} (${path}); choose another directory with --data`,
  )
}
