import { fileProblemOf } from './system-error.js'

/** An address that a server cannot listen on, and the options that set it. */
interface ListenPlace {
  readonly host?: string | undefined
  readonly port: number
  readonly portOption: string
  readonly hostOption: string
}

/** Explains why a server cannot listen on an address. Other errors are returned unchanged. */
export function explainListen(error: unknown, { host, port, portOption, hostOption }: ListenPlace): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  const place = host === undefined ? `port ${port}` : `${host}:${port}`
  if (code === 'EADDRINUSE') {
    return new Error(
      `${place} is in use by another program: stop it, or set another port with ${portOption} (0 selects a free port)`,
      { cause: error },
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`${host} is not an address of this machine: set another with ${hostOption}`, { cause: error })
  }
  if (syscall === 'listen' || syscall === 'bind') {
    return new Error(`cannot listen on ${place} (${code}): set another port with ${portOption}`, { cause: error })
  }
  return error
}

interface StartPlace {
  readonly host: string
  readonly port: number
  readonly dataDirectory: string
}

/** Explains system errors that prevent a server from starting. Other errors are returned unchanged. */
export function explainStart(error: unknown, { host, port, dataDirectory }: StartPlace): unknown {
  const explained = explainListen(error, { host, port, portOption: '--port', hostOption: '--host' })
  const problem = fileProblemOf(error)
  if (explained !== error || problem === undefined) return explained
  const { path, why } = problem
  if (!path.startsWith(dataDirectory) && !dataDirectory.startsWith(path)) return error
  return new Error(`cannot use data directory ${dataDirectory}: ${why} (${path}): set another directory with --data`)
}
