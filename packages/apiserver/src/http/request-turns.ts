import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** No client of Kubernetes sends so many without an answer. Each one that waits costs forty times its bytes in memory. */
const MAX_WAITING = 100

/**
 * Requests that a client sends without waiting for answers are served one after the other, each when the answer before
 * it has been taken by the socket. Node's server would start all of them at once and keep the answers in memory. It also
 * reads on for as long as no answer waits to be read, behind a watch for ever: who sends too many is cut off.
 */
export class RequestTurns {
  readonly #lines = new WeakMap<Socket, (() => void)[]>()

  take(socket: Socket, response: ServerResponse, serve: () => void): void {
    const turn = () => {
      response.once('close', () => this.#next(socket))
      serve()
    }
    const line = this.#lines.get(socket)
    if (line !== undefined) {
      if (line.length < MAX_WAITING) line.push(turn)
      else socket.destroy()
      return
    }
    this.#lines.set(socket, [])
    turn()
  }

  #next(socket: Socket): void {
    const turn = socket.destroyed ? undefined : this.#lines.get(socket)?.shift()
    if (turn === undefined) this.#lines.delete(socket)
    else if (socket.writableNeedDrain) socket.once('drain', turn)
    else turn()
  }
}
