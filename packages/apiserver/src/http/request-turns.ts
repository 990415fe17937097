import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Requests that a client sends without waiting for answers are served one after the other, each when the answer before
 * it has been taken by the socket. Node's server would start all of them at once and keep the answers in memory.
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
      line.push(turn)
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
