import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'

/** Sockets in a directory whose path may be longer than the 107 bytes that the address of a socket has. */
export class SocketDirectory {
  readonly #directory: string
  readonly #handle: FileHandle | undefined
  readonly #servers = new Set<Server>()

  private constructor(directory: string, handle: FileHandle | undefined) {
    this.#directory = directory
    this.#handle = handle
  }

  static async open(directory: string): Promise<SocketDirectory> {
    const isLinux = process.platform === 'linux'
    const handle = isLinux ? await open(directory, constants.O_RDONLY | constants.O_DIRECTORY) : undefined
    return new SocketDirectory(directory, handle)
  }

  /** Listens on a socket. `accepted` is called with its first connection; there is no second one. */
  listen(name: string, accepted: (socket: Socket) => void): Promise<void> {
    const server = createServer((socket) => {
      server.close()
      accepted(socket)
    })
    this.#servers.add(server)
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#pathOf(name), () => resolve())
    })
  }

  connect(name: string): Socket {
    return connect(this.#pathOf(name))
  }

  async close(): Promise<void> {
    for (const server of this.#servers) server.close()
    await this.#handle?.close()
  }

  #pathOf(name: string): string {
    return this.#handle === undefined ? join(this.#directory, name) : `/proc/self/fd/${this.#handle.fd}/${name}`
  }
}
