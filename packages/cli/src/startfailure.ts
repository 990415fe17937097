interface StartPlace {
  readonly host: string
  readonly port: number
  readonly dataDirectory: string
}

/** What stands in the way of a directory, by the code the system gives. */
const OBSTACLES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space left on the device'],
  ['EEXIST', 'a file is in its place'],
  ['ENOTDIR', 'a file is in its place'],
])

/** Says in words what kept a server from starting, where the system gives a code; other errors speak for themselves. */
export function explainStart(error: unknown, { host, port, dataDirectory }: StartPlace): unknown {
  const { code = '', syscall, path } = error as NodeJS.ErrnoException
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
  const obstacle = OBSTACLES.get(code)
  if (obstacle === undefined || path === undefined) return error
  if (!path.startsWith(dataDirectory) && !dataDirectory.startsWith(path)) return error
  return new Error(`the data directory ${dataDirectory} cannot be used: ${obstacle} (${path})`)
}
