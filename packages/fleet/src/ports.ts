import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Below the ephemeral ports, so that no outgoing connection uses one at the next start. */
const LOWEST = 20_000
const HIGHEST = 32_000

/** Free ports, consecutive if possible. */
export async function freePorts(count: number, taken: readonly number[] = []): Promise<readonly number[]> {
  const found: number[] = []
  const range = HIGHEST - LOWEST
  const first = randomInt(range)
  for (let step = 0; step < range && found.length < count; step++) {
    const port = LOWEST + ((first + step) % range)
    if (!taken.includes(port) && (await isFree(port))) found.push(port)
  }
  if (found.length < count) throw new Error(`fewer than ${count} ports are free between ${LOWEST} and ${HIGHEST}`)
  return found
}

/** Whether a server can listen on a port of this machine. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })
}
