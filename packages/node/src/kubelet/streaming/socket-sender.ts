import type { MessageSocket } from '@orrery/kube/transport'

/** Sends what comes from elsewhere to a client, and holds those back who send more than it reads. */
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

  /** Sends a message. What it returns, if anything, resolves when the client reads on. */
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
