import type { Socket } from 'node:net'
import { badRequest } from '@orrery/kinds/values'
import type { MessageSocket } from '@orrery/kube/transport'
import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'

/** The subprotocol of KubeVirt's streams: messages are the bytes, in both directions. */
const PLAIN_PROTOCOL = 'plain.kubevirt.io'
const MAX_MESSAGE = 1024 * 1024
/** RFC 6455, section 7.4.1: the endpoint goes away, or a policy ends the connection. */
const GOING_AWAY = 1001
const POLICY = 1008
/** How much output a client may be behind. */
const MAX_BEHIND = 1024 * 1024

/** Opens the WebSocket of a console or a display. Clients may also offer no subprotocol. */
export function openPlainSocket(exchange: GateExchange, what: string): MessageSocket {
  const socket = exchange.webSocket({ protocols: [PLAIN_PROTOCOL, ''], maxMessageBytes: MAX_MESSAGE })
  if (socket !== undefined) return socket
  throw badRequest(`Upgrade request required: the ${what} is served over WebSocket with ${PLAIN_PROTOCOL}`)
}

/**
 * The serial console of a guest. All its clients see the output, and what each of them types reaches the guest. A client
 * that does not read is disconnected, since the guest would otherwise wait for it when it writes.
 */
export class SerialConsole {
  /** The clients, with how many bytes each is behind. */
  readonly #clients = new Map<MessageSocket, number>()
  #line: Socket | undefined

  /** Takes the connection of QEMU. */
  readonly connect = (line: Socket): void => {
    this.#line = line
    line.on('error', () => undefined)
    line.on('data', (piece: Buffer) => {
      for (const [client, before] of this.#clients) {
        const behind = client.send(piece, 'binary') ? 0 : before + piece.length
        this.#clients.set(client, behind)
        if (behind <= MAX_BEHIND) continue
        this.#clients.delete(client)
        client.close(POLICY, 'the client does not read the output of the console')
      }
    })
    line.on('drain', () => {
      for (const client of this.#clients.keys()) client.resume()
    })
    line.on('close', () => this.close())
  }

  serve(client: MessageSocket): void {
    this.#clients.set(client, 0)
    client.onClose(() => this.#clients.delete(client))
    client.onMessage((message) => {
      if (this.#line?.writable === true && !this.#line.write(message)) client.pause()
    })
  }

  close(): void {
    this.#line = undefined
    for (const client of this.#clients.keys()) client.close(GOING_AWAY, 'the virtual machine has ended')
    this.#clients.clear()
  }
}

/** Connects a client with a socket of QEMU until one of them ends. */
export function bridge(client: MessageSocket, line: Socket): void {
  line.on('data', (piece: Buffer) => {
    if (!client.send(piece, 'binary')) line.pause()
  })
  client.onDrain(() => line.resume())
  client.onMessage((message) => {
    if (!line.destroyed && !line.write(message)) client.pause()
  })
  line.on('drain', () => client.resume())
  line.on('error', () => undefined)
  line.on('close', () => client.close(GOING_AWAY, 'the virtual machine has closed the connection'))
  client.onClose(() => line.destroy())
}
