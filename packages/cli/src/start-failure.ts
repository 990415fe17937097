import { obstacleOf } from './systemerror.js'

/** An address that could not be listened on, and the options it was given by. */
interface ListenPlace {
  readonly host?: string | undefined
  readonly port: number
  readonly portOption: string
  readonly hostOption: string
}

/** Says in words why an address cannot be listened on; errors about something else stay as they are. */
export function explainListen(error: unknown, { host, port, portOption, hostOption }: ListenPlace): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  const place = host === undefined ? `port ${port}` : `${host}:${port}`
  if (code === 'EADDRINUSE') {
    return new Error(
      `${place} is in use by another program: stop it, or choose another port with ${portOption} (0 picks a free one)`,
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`${host} is not an address of this machine: choose another with ${hostOption}`)
  }
  if (syscall === 'listen' || syscall === 'bind') {
    return new Error(`${place} could not be opened (${code}): choose another port with ${portOption}`)
  }
  return error
}

interface StartPlace {
  readonly host: string
  readonly port: number
  readonly dataDirectory: string
}

/** Says in words what kept a server from starting, where the system gives a code; other errors speak for themselves. */
export function explainStart(error: unknown, { host, port, dataDirectory }: StartPlace): unknown {
  const explained = explainListen(error, { host, port, portOption: '--port', hostOption: '--host' })
  const obstacle = obstacleOf(error)
  if (explained !== error || obstacle === undefined) return explained
  const { path, why } = obstacle
  if (!path.startsWith(dataDirectory) && !dataDirectory.startsWith(path)) return error
  return new Error(
    `the data directory ${dataDirectory} cannot be used: ${why} (${path}); choose another directory with --data`,
  )
}
