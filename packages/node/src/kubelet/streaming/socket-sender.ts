import type { MessageSocket } from '@orrery/kube/transport'

/** Sends data to a client with backpressure to its sources. */
export class SocketSender {
  readonly #socket: MessageSocket
  #waiting: (() => void)[] = []
  #isFull = false
  #isClosed = false

  constructor(socket: MessageSocket) {
    this.#socket = socket
    socket.onDrain(() => this.#goOn())
    socket.onClose(() => {
      this.#isClosed = true
      this.#goOn()
    })
  }

  /** Sends a message. The returned promise, if any, resolves when the client can take more. */
  send(data: Buffer): Promise<void> | undefined {
    if (this.#isClosed) return undefined
    this.#isFull = !this.#socket.send(data, 'binary')
    return this.whenDrained()
  }

  whenDrained(): Promise<void> | undefined {
    if (!this.#isFull || this.#isClosed) return undefined
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #goOn(): void {
    this.#isFull = false
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}
