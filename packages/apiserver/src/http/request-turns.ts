import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** No Kubernetes client pipelines more requests. Each waiting one costs forty times its bytes in memory. */
const MAX_WAITING = 100

/**
 * Serves pipelined requests one at a time, each after the previous response was written to the socket. The server of
 * Node.js would start all of them at once and keep the responses in memory. It also keeps reading while no response
 * waits, behind a watch without end, so a client with too many requests is disconnected.
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
