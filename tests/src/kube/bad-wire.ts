import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import type { Transport } from '@orrery/kube/client'
import { afterwards } from '../support/server.js'

/** The damage to responses on a connection after some bytes. */
export type Damage =
  | { readonly kind: 'reset' | 'end' | 'garble' | 'stall'; readonly after: number }
  /** Bytes arrive one by one. */
  | { readonly kind: 'trickle' }

interface Listening {
  readonly port: number
  readonly sockets: ReadonlySet<Socket>
}

const JUNK = Buffer.from('\0\x01junk\r\n\0')

/** A wire to a server, without TLS, that damages responses on demand. */
export class BadWire {
  readonly port: number
  /** Called for each new connection. Undefined for a good one. */
  damage: () => Damage | undefined = () => undefined
  readonly #near: ReadonlySet<Socket>
  readonly #far: ReadonlySet<Socket>
  readonly #writes: ReadonlySet<unknown>

  private constructor(near: Listening, front: Listening, writes: ReadonlySet<unknown>) {
    this.port = near.port
    this.#near = near.sockets
    this.#far = front.sockets
    this.#writes = writes
  }

  /** The number of the client's connections. */
  get open(): number {
    return this.#near.size
  }

  /** Whether the server has noticed all aborted requests, and has finished all writes. */
  get isSettled(): boolean {
    return this.#near.size === this.#far.size && this.#writes.size === 0
  }

  static async start(t: Pick<TestContext, 'after'>, target: Transport): Promise<BadWire> {
    const writes = new Set<Promise<void>>()
    const front = await listen(
      t,
      createHttpServer((request, response) => {
        const answered = answer(target, request, response)
        if (request.method === 'GET') return
        writes.add(answered)
        void answered.then(() => writes.delete(answered))
      }),
    )
    const server = createServer((near) => {
      const far = connect(front.port, '127.0.0.1')
      near.on('close', () => far.destroy())
      far.on('close', () => near.end())
      for (const socket of [near, far]) socket.on('error', () => undefined)
      near.pipe(far)
      pass(far, near, wire.damage())
    })
    const wire: BadWire = new BadWire(await listen(t, server), front, writes)
    return wire
  }
}

function pass(from: Socket, to: Socket, damage: Damage | undefined): void {
  let passed = 0
  let isStruck = false
  from.on('data', (bytes: Buffer) => {
    if (damage === undefined) to.write(bytes)
    else if (damage.kind === 'trickle') for (const byte of bytes) to.write(Buffer.of(byte))
    else if (isStruck) {
      if (damage.kind === 'garble') to.write(bytes)
    } else {
      const left = damage.after - passed
      passed += bytes.length
      if (bytes.length < left) return void to.write(bytes)
      isStruck = true
      to.write(bytes.subarray(0, left))
      if (damage.kind === 'reset') to.resetAndDestroy()
      else if (damage.kind === 'end') to.end()
      else if (damage.kind === 'garble') to.write(Buffer.concat([JUNK, bytes.subarray(left)]))
    }
  })
}

async function answer(target: Transport, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    const body = Buffer.concat(await request.toArray())
    const { method = 'GET', url: path = '/', headers } = request
    const kept = Object.entries(headers).filter(([name]) => name === 'accept' || name === 'content-type')
    const reply = await target.request({
      method,
      path,
      headers: Object.fromEntries(kept) as Record<string, string>,
      ...(body.length > 0 && { body }),
      signal: gone.signal,
    })
    response.writeHead(reply.status, { 'content-type': 'application/json' })
    response.flushHeaders()
    await pipeline(reply.body, response)
  } catch {
    // The client is gone.
    response.destroy()
  }
}

async function listen(t: Pick<TestContext, 'after'>, server: Server): Promise<Listening> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(t, () => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { port: (server.address() as AddressInfo).port, sockets }
}
