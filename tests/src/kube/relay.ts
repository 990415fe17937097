import { connect, createServer, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { afterwards } from '../support/server.js'

/** A relay between a client and a server that a test can silence without notice. */
export interface Relay {
  readonly port: number
  /** The number of connections. */
  readonly connections: number
  /** Silences the existing connections. New ones work. */
  goSilent(): void
}

export async function startRelay(t: Pick<TestContext, 'after'>, targetPort: number): Promise<Relay> {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    connections++
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => to.write(chunk))
      from.on('end', () => to.end())
      from.on('error', () => to.destroy())
      from.on('close', () => sockets.delete(from))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(t, () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get connections() {
      return connections
    },
    goSilent() {
      for (const socket of sockets) {
        socket.pause()
        socket.removeAllListeners('data')
        socket.removeAllListeners('end')
      }
    },
  }
}
