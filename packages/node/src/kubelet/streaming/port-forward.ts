import { connect, type Socket } from 'node:net'
import type { MessageSocket } from '@orrery/kube/transport'
import { SocketSender } from './socket-sender.js'
import { SpdySession, type SpdyStream } from './spdy-session.js'

/** The protocol of kubectl: SPDY frames inside WebSocket messages. */
export const TUNNEL_PROTOCOL = 'SPDY/3.1+portforward.k8s.io'
/** The protocol of most other clients: two channels for each port. */
const CHANNEL_PROTOCOL = 'v4.channel.k8s.io'
export const PORT_PROTOCOLS = [TUNNEL_PROTOCOL, CHANNEL_PROTOCOL]

/** Programs share the network of the machine. */
const HERE = '127.0.0.1'

export interface PortForwardRequest {
  readonly pod: string
  /** The ports in the request; a tunnel names them later. */
  readonly ports: readonly number[]
  /** Returns why a port cannot be forwarded; undefined if it can. */
  readonly refusal: (port: number) => string | undefined
}

/** Forwards connections of a client to ports of a pod until the client disconnects. */
export function servePortForward(request: PortForwardRequest, socket: MessageSocket): void {
  if (socket.protocol === TUNNEL_PROTOCOL) serveTunnel(request, socket)
  else serveChannels(request, socket)
}

/** The client's end of a forwarded connection. */
interface ClientEnd {
  /** The returned promise, if any, resolves when the client can take more. */
  readonly write: (piece: Buffer) => Promise<void> | undefined
  readonly end: () => void
  readonly fail: (message: string) => void
}

interface Forwarding {
  /** Takes data of the client; `undefined` at its end. */
  readonly take: (piece: Buffer | undefined) => void
  readonly stop: () => void
}

function forward(request: PortForwardRequest, port: number, client: ClientEnd, socket: MessageSocket): Forwarding {
  const problem = (why: string) => `error forwarding port ${port} to pod ${request.pod}: ${why}`
  const refused = request.refusal(port)
  if (refused !== undefined) {
    client.fail(problem(refused))
    client.end()
    return { take: () => undefined, stop: () => undefined }
  }
  const connection: Socket = connect({ host: HERE, port, allowHalfOpen: true })
  connection.on('data', (piece) => {
    const drained = client.write(piece)
    if (drained === undefined) return
    connection.pause()
    void drained.then(() => connection.resume())
  })
  connection.on('error', (error) => client.fail(problem(error.message)))
  connection.on('end', () => client.end())
  connection.on('close', () => {
    socket.resume()
    client.end()
  })
  connection.on('drain', () => socket.resume())
  return {
    take(piece) {
      if (piece === undefined) connection.end()
      else if (!connection.destroyed && !connection.write(piece)) socket.pause()
    },
    stop: () => connection.destroy(),
  }
}

/** Each connection is a pair of streams with one request ID: a data stream and an error stream. */
function serveTunnel(request: PortForwardRequest, socket: MessageSocket): void {
  const sender = new SocketSender(socket)
  const errors = new Map<string, SpdyStream>()
  const session = new SpdySession({
    send: (bytes) => void sender.send(bytes),
    onBroken: () => socket.close(PROTOCOL_ERROR, 'not SPDY/3.1'),
    onStream(stream) {
      const id = stream.headers.get('requestid') ?? stream.headers.get('port') ?? ''
      const port = Number(stream.headers.get('port'))
      const type = stream.headers.get('streamtype')
      if (type === 'error') {
        errors.set(id, stream)
        stream.onReset = () => {
          if (errors.get(id) === stream) errors.delete(id)
        }
        return
      }
      const error = errors.get(id)
      errors.delete(id)
      if (type !== 'data' || error === undefined || !isPort(port)) {
        stream.reset()
        return
      }
      const client: ClientEnd = {
        write: (piece) => {
          stream.write(piece)
          return sender.whenDrained()
        },
        end: () => {
          stream.end()
          error.end()
        },
        fail: (message) => error.write(Buffer.from(message)),
      }
      const { take, stop } = forward(request, port, client, socket)
      stream.onData = take
      stream.onReset = stop
    },
  })
  socket.onMessage((message) => session.receive(message))
  socket.onClose(() => session.close())
}

/** Port number `n` of the request has channel `2n` for data and `2n + 1` for errors. Both start with the port. */
function serveChannels(request: PortForwardRequest, socket: MessageSocket): void {
  const sender = new SocketSender(socket)
  const forwardings = request.ports.map((port, index) => {
    const send = (channel: number, piece: Buffer) =>
      sender.send(Buffer.concat([Buffer.from([2 * index + channel]), piece]))
    const name = Buffer.alloc(2)
    name.writeUInt16LE(port)
    void send(0, name)
    void send(1, name)
    const client: ClientEnd = {
      write: (piece) => send(0, piece),
      // A single port cannot be closed: when the last one ends, the connection ends.
      end: () => {
        ended.add(port)
        if (ended.size === request.ports.length) socket.close()
      },
      fail: (message) => void send(1, Buffer.from(message)),
    }
    return { client, port }
  })
  const ended = new Set<number>()
  const running = forwardings.map(({ client, port }) => forward(request, port, client, socket))
  socket.onMessage((message) => {
    const channel = message[0] ?? 0
    if (channel % 2 === 0 && message.length > 1) running[channel / 2]?.take(message.subarray(1))
  })
  socket.onClose(() => {
    for (const { stop } of running) stop()
  })
}

/** RFC 6455, section 7.4.1. */
const PROTOCOL_ERROR = 1002

export function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port < 65_536
}
