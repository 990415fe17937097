import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { afterwards, temporaryDirectory } from '../support/server.js'

const FORWARDED_PROGRAM = fileURLToPath(new URL('forwarded-program.js', import.meta.url))

/**
 * The command line that runs a program in a network of its own, as in a container: two programs that listen on the same port can run at
 * the same time. It reaches only the server at this URL, on the loopback address.
 */
export async function inOwnNetwork(
  t: Pick<TestContext, 'after'>,
  url: string,
  command: readonly string[],
): Promise<readonly [program: string, ...args: string[]]> {
  const { port } = new URL(url)
  const socket = join(await temporaryDirectory(t), 'server')
  const open = new Set<Socket>()
  const forward = forwardTo({ host: '127.0.0.1', port: Number(port) })
  const server = createServer((incoming) => {
    open.add(incoming.once('close', () => open.delete(incoming)))
    forward(incoming)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve))
  afterwards(t, async () => {
    for (const incoming of open) incoming.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const script = 'ip link set lo up && exec "$0" "$@"'
  const forwarded = [process.execPath, FORWARDED_PROGRAM, port, socket, ...command]
  return ['unshare', '--user', '--map-root-user', '--net', 'sh', '-c', script, ...forwarded]
}

/** Forwards connections to a server. */
export function forwardTo(options: NetConnectOpts): (incoming: Socket) => void {
  return (incoming) => {
    const outgoing = connect(options)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.pipe(to)
      // Either end may reset the connection.
      from.on('error', () => to.destroy())
      from.once('close', () => to.destroy())
    }
  }
}
