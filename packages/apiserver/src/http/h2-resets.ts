import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Client } from './client.js'
import type { HeldAnswer } from './held-answers.js'
import { PIECE_BYTES } from './paced-writes.js'

/**
 * The streams of an HTTP/2 session that were reset while their client did not read. Node.js keeps the last piece of each
 * until the session has sent it and the reset, so these count until the client answers a ping that follows them. If
 * it reads nothing, the session is closed.
 */
class UnsentResets {
  readonly #session: ServerHttp2Session
  readonly #client: Client
  #held: HeldAnswer | undefined
  #hasNew = false

  constructor(session: ServerHttp2Session, client: Client) {
    this.#session = session
    this.#client = client
    session.once('close', () => this.#release())
  }

  add(): void {
    if (this.#held !== undefined) {
      this.#hasNew = true
      this.#held.grew(PIECE_BYTES)
      return
    }
    this.#held = this.#client.hold(PIECE_BYTES, () => this.#session.destroy())
    this.#ping()
  }

  #ping(): void {
    this.#hasNew = false
    if (this.#session.closed || this.#session.destroyed) this.#release()
    else this.#session.ping(() => (this.#hasNew ? this.#ping() : this.#release()))
  }

  #release(): void {
    this.#held?.release()
    this.#held = undefined
  }
}

const resets = new WeakMap<ServerHttp2Session, UnsentResets>()

/** Resets a stream whose client is too slow, and frees what it has to write. */
export function resetSlowStream(stream: ServerHttp2Stream, code: number, client: Client): void {
  const session = stream.session as ServerHttp2Session | undefined
  stream.close(code)
  stream.destroy()
  if (session === undefined || session.destroyed) return
  let unsent = resets.get(session)
  if (unsent === undefined) {
    unsent = new UnsentResets(session, client)
    resets.set(session, unsent)
  }
  unsent.add()
}
