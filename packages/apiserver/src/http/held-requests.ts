import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getHeapStatistics } from 'node:v8'
import type { Client } from './client.js'
import { type HeldAnswer, HeldAnswers } from './held-answers.js'

/** What a request takes besides its head, for example a watch that waits for events. */
const REQUEST_BYTES = 8 * 1024
/** Node.js keeps the text of a head, and its parser or decoder a copy. */
const COPIES = 2
/**
 * A connection may keep this much of a head, as it takes more itself. The parser of Node.js keeps a head until the next
 * one arrives, so a longer one ends its connection.
 */
const MAX_KEPT_HEAD_BYTES = 16 * 1024
/** A request may last as long as its watch. */
const NEVER_STALLS = Number.POSITIVE_INFINITY

/**
 * Returns the memory that requests share, by default a quarter of the heap. Beyond it, the user who holds the most loses
 * the oldest request.
 */
export function heldRequests(limit = getHeapStatistics().heap_size_limit / 4): HeldAnswers {
  return new HeldAnswers(limit, NEVER_STALLS)
}

/**
 * The memory of a request from its arrival to the end of its response. A few bytes of HTTP/2 can be a head of 256 KiB,
 * and watches keep theirs for as long as they last.
 */
export class HeldRequest {
  readonly #client: Client
  readonly #bytes: number
  readonly #cut: () => void
  #username: string | undefined
  #held: HeldAnswer
  #isOver = false

  constructor(client: Client, headBytes: number, cut: () => void) {
    this.#client = client
    this.#bytes = REQUEST_BYTES + COPIES * headBytes
    this.#cut = () => {
      this.#isOver = true
      cut()
    }
    this.#username = client.username
    this.#held = client.holdRequest(this.#bytes, this.#cut)
  }

  /** Called when the user is known, who then pays for it. */
  authenticated(): void {
    if (this.#isOver || this.#username === this.#client.username) return
    this.#held.release()
    this.#username = this.#client.username
    this.#held = this.#client.holdRequest(this.#bytes, this.#cut)
  }

  release(): void {
    this.#isOver = true
    this.#held.release()
  }
}

/** The requests of a connection that the server of Node.js reads, and the head that is still arriving. */
export class ConnectionRequests {
  readonly #socket: Socket
  readonly #client: Client
  /** Node.js reports the end of a response, but not of those that still wait for it when the connection closes. */
  readonly #open = new Set<HeldRequest>()
  #last: IncomingMessage | undefined
  #incompleteBytes = 0
  #incomplete: HeldAnswer | undefined

  constructor(socket: Socket, client: Client) {
    this.#socket = socket
    this.#client = client
    // Before the parser, which may complete the head with these bytes.
    socket.prependListener('data', this.#arrived)
    socket.once('close', () => {
      this.#releaseIncomplete()
      for (const held of this.#open) held.release()
    })
  }

  /** Adds a request whose head is complete, until its response ends. */
  add(request: IncomingMessage, response: ServerResponse): HeldRequest {
    const bytes = headBytesOf(request)
    if (bytes > MAX_KEPT_HEAD_BYTES) response.shouldKeepAlive = false
    const held = this.#hold(request, bytes)
    response.once('close', () => {
      held.release()
      this.#open.delete(held)
    })
    return held
  }

  /** Adds a request that changes the protocol of the connection: it lasts as long, and no head follows. */
  addUpgrade(request: IncomingMessage): HeldRequest {
    this.#socket.off('data', this.#arrived)
    return this.#hold(request, headBytesOf(request))
  }

  #hold(request: IncomingMessage, headBytes: number): HeldRequest {
    this.#last = request
    this.#releaseIncomplete()
    const held = new HeldRequest(this.#client, headBytes, () => this.#socket.destroy())
    this.#open.add(held)
    return held
  }

  readonly #arrived = ({ length }: Buffer): void => {
    const isBody = this.#last?.complete === false
    if (isBody) return
    this.#incompleteBytes += length
    if (this.#incompleteBytes <= MAX_KEPT_HEAD_BYTES) return
    this.#incomplete ??= this.#client.holdRequest(0, () => this.#socket.destroy())
    this.#incomplete.grew(COPIES * length)
  }

  #releaseIncomplete(): void {
    this.#incompleteBytes = 0
    this.#incomplete?.release()
    this.#incomplete = undefined
  }
}

function headBytesOf({ url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>): number {
  let bytes = url.length
  for (const text of rawHeaders) bytes += text.length
  return bytes
}
