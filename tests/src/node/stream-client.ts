import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:https'
import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import { WebSocket } from 'ws'
import type { NodeCluster } from './node-cluster.js'

/** A client's credentials: a bearer token, or else the administrator's certificate. */
type Shown = { readonly token?: string }

function tlsOf({ kubeconfig }: NodeCluster, { token }: Shown) {
  const pem = (field: string) =>
    Buffer.from(new RegExp(`${field}"?:\\s*"?([A-Za-z0-9+/=]+)`).exec(kubeconfig)?.[1] ?? '', 'base64')
  const ca = pem('certificate-authority-data')
  if (token !== undefined) return { ca, headers: { authorization: `Bearer ${token}` } }
  return { ca, cert: pem('client-certificate-data'), key: pem('client-key-data') }
}

/** A command or program on the other end of a WebSocket, with the data of each channel. */
export class StreamClient {
  readonly socket: WebSocket
  readonly closed: Promise<unknown>
  readonly #texts = new Map<number, string>()
  #wake: () => void = () => undefined

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('message', (data: Buffer) => {
      this.#texts.set(data[0] ?? 0, (this.#texts.get(data[0] ?? 0) ?? '') + data.toString('latin1', 1))
      this.#wake()
    })
  }

  /** Connects. Rejects with the status and text of a rejection. */
  static async open(t: TestContext, cluster: NodeCluster, path: string, protocol: string, shown: Shown = {}) {
    const url = `${cluster.server.replace('https', 'wss')}/api/v1/namespaces/default/pods/${path}`
    const socket = new WebSocket(url, [protocol], tlsOf(cluster, shown))
    t.after(() => socket.terminate())
    socket.on('error', () => undefined)
    const client = new StreamClient(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve())
      socket.once('error', reject)
      socket.once('unexpected-response', (_request, response) => {
        let text = ''
        response.on('data', (piece: Buffer) => {
          text += piece.toString('utf8')
        })
        response.on('end', () => reject(new Error(`${response.statusCode} ${text}`)))
      })
    })
    return client
  }

  text(channel: number): string {
    return this.#texts.get(channel) ?? ''
  }

  /** The final status on the error channel. */
  async status(): Promise<Record<string, unknown>> {
    await this.closed
    return JSON.parse(this.text(3)) as Record<string, unknown>
  }

  async until(channel: number, part: string): Promise<void> {
    while (!this.text(channel).includes(part)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  send(channel: number, data: string | Buffer): void {
    this.socket.send(Buffer.concat([Buffer.from([channel]), Buffer.from(data)]))
  }
}

/**
 * A WebSocket with a subprotocol that is not a token, as kubectl's, which the library does not support. It sends and
 * returns the bytes of messages, each shorter than 64 KiB.
 */
export async function openTunnel(t: TestContext, cluster: NodeCluster, path: string, protocol: string) {
  const outgoing = request(`${cluster.server}/api/v1/namespaces/default/pods/${path}`, {
    ...tlsOf(cluster, {}),
    headers: {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': randomBytes(16).toString('base64'),
      'sec-websocket-protocol': protocol,
    },
  }).end()
  const [response, socket] = (await once(outgoing, 'upgrade')) as [{ headers: Record<string, string> }, Duplex]
  t.after(() => socket.destroy())
  let pending = Buffer.alloc(0)
  let content = Buffer.alloc(0)
  let wake: () => void = () => undefined
  socket.on('error', () => undefined)
  socket.on('data', (piece: Buffer) => {
    pending = Buffer.concat([pending, piece])
    for (;;) {
      const short = (pending[1] ?? 0) & 0x7f
      const start = short === 126 ? 4 : 2
      if (pending.length < start) break
      const length = short === 126 ? pending.readUInt16BE(2) : short
      if (pending.length < start + length) break
      content = Buffer.concat([content, pending.subarray(start, start + length)])
      pending = pending.subarray(start + length)
    }
    wake()
  })
  return {
    protocol: response.headers['sec-websocket-protocol'],
    send(bytes: Buffer): void {
      const head = Buffer.from([0x82, 0x80 | 126, bytes.length >> 8, bytes.length & 0xff, 0, 0, 0, 0])
      socket.write(Buffer.concat([head, bytes]))
    },
    async until(part: string): Promise<void> {
      while (!content.includes(part)) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
