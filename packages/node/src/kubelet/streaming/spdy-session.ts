import { HeaderReader, HeaderWriter, type SpdyHeaders } from './spdy-headers.js'

/** Types of control frames. */
const SYN_STREAM = 1
const SYN_REPLY = 2
const RST_STREAM = 3
const PING = 6
const FIN = 1
const PROTOCOL_ERROR = 1
const REFUSED_STREAM = 3
const CONTROL = 0x8003
const FRAME_HEAD = 8
/** kubectl sends 32 KiB at once. */
const MAX_FRAME = 1024 * 1024
const MAX_STREAMS = 1024

/** A stream that the client opened. */
export interface SpdyStream {
  readonly headers: SpdyHeaders
  /** Takes data of the client; `undefined` at its end. */
  onData: ((piece: Buffer | undefined) => void) | undefined
  /** Called if the stream is reset. */
  onReset: (() => void) | undefined
  write(piece: Buffer): void
  /** Signals the end of data. */
  end(): void
  reset(): void
}

export interface SpdySessionOptions {
  readonly send: (bytes: Buffer) => void
  readonly onStream: (stream: SpdyStream) => void
  /** Called on a protocol error. */
  readonly onBroken: (error: Error) => void
}

/**
 * The server side of a SPDY/3.1 connection, as far as Kubernetes clients use it: streams that the client opens, data,
 * resets and pings. There is no flow control by windows, as clients do not use it either; the connection below provides
 * backpressure.
 *
 * | stream is | until                                                        |
 * |-----------|--------------------------------------------------------------|
 * | open      | both sides have sent their last piece, or one of them resets |
 */
export class SpdySession {
  readonly #options: SpdySessionOptions
  readonly #reader = new HeaderReader()
  readonly #writer = new HeaderWriter()
  readonly #streams = new Map<number, OpenStream>()
  #isTaking = false
  /** Received bytes of incomplete frames. */
  #pending: Buffer[] = []
  #pendingBytes = 0
  /** The number of bytes from which joining the pieces is worthwhile. */
  #neededBytes = FRAME_HEAD
  #isClosed = false

  constructor(options: SpdySessionOptions) {
    this.#options = options
  }

  /** Takes bytes of the connection, in any pieces. */
  receive(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#pending.push(bytes)
    this.#pendingBytes += bytes.length
    if (this.#isTaking || this.#pendingBytes < this.#neededBytes) return
    void this.#take()
  }

  /** Ends all streams. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const stream of this.#streams.values()) stream.onReset?.()
    this.#streams.clear()
    this.#reader.close()
    this.#writer.close()
  }

  /** Handles frames one at a time. A frame can arrive in single bytes, so pieces are not copied for each of them. */
  async #take(): Promise<void> {
    this.#isTaking = true
    try {
      while (!this.#isClosed && this.#pendingBytes >= this.#neededBytes) {
        const bytes = Buffer.concat(this.#pending.splice(0))
        this.#pendingBytes = 0
        this.#neededBytes = FRAME_HEAD
        const rest = await this.#takeFrames(bytes)
        this.#pending.unshift(rest)
        this.#pendingBytes += rest.length
      }
    } catch (error) {
      if (!this.#isClosed) this.#options.onBroken(error as Error)
      this.close()
    } finally {
      this.#isTaking = false
    }
  }

  /** Handles all complete frames and returns the rest. */
  async #takeFrames(bytes: Buffer): Promise<Buffer> {
    let rest = bytes
    while (!this.#isClosed && rest.length >= FRAME_HEAD) {
      const length = rest.readUIntBE(5, 3)
      if (length > MAX_FRAME) throw new Error('a frame is too long')
      if (rest.length < FRAME_HEAD + length) {
        this.#neededBytes = FRAME_HEAD + length
        return rest
      }
      const head = rest.subarray(0, FRAME_HEAD)
      const body = rest.subarray(FRAME_HEAD, FRAME_HEAD + length)
      rest = rest.subarray(FRAME_HEAD + length)
      const isControl = (head[0] ?? 0) >= 0x80
      if (isControl) await this.#control(head, body)
      else this.#data(head.readUInt32BE(0), body, ((head[4] ?? 0) & FIN) !== 0)
    }
    return rest
  }

  async #control(head: Buffer, body: Buffer): Promise<void> {
    if (head.readUInt16BE(0) !== CONTROL) throw new Error('a frame is not SPDY/3')
    const type = head.readUInt16BE(2)
    if (type === SYN_STREAM) await this.#open(body, ((head[4] ?? 0) & FIN) !== 0)
    else if (type === RST_STREAM) {
      const id = body.readUInt32BE(0)
      const stream = this.#streams.get(id)
      this.#streams.delete(id)
      stream?.onReset?.()
    } else if (type === PING && body.readUInt32BE(0) % 2 === 1) this.#send(PING, 0, body)
  }

  async #open(body: Buffer, isLast: boolean): Promise<void> {
    const id = body.readUInt32BE(0) & 0x7fffffff
    // Also for refused streams, since all blocks are one compressed stream.
    const headers = await this.#reader.read(body.subarray(10))
    if (this.#streams.has(id)) throw new Error('a stream is opened twice')
    if (this.#streams.size >= MAX_STREAMS) return this.#reset(id, REFUSED_STREAM)
    const reply = Buffer.concat([numbers(id), await this.#writer.write(new Map())])
    if (this.#isClosed) return
    const stream = new OpenStream(headers, {
      data: (piece, flags) => this.#sendData(id, piece, flags),
      reset: () => this.#reset(id, PROTOCOL_ERROR),
      over: () => this.#streams.delete(id),
    })
    this.#streams.set(id, stream)
    this.#send(SYN_REPLY, 0, reply)
    this.#options.onStream(stream)
    if (isLast) stream.received(undefined)
  }

  #data(id: number, piece: Buffer, isLast: boolean): void {
    const stream = this.#streams.get(id)
    if (stream === undefined) return
    if (piece.length > 0) stream.received(piece)
    if (isLast) stream.received(undefined)
  }

  #sendData(id: number, piece: Buffer, flags: number): void {
    if (this.#isClosed) return
    const head = Buffer.alloc(FRAME_HEAD)
    head.writeUInt32BE(id, 0)
    head.writeUInt8(flags, 4)
    head.writeUIntBE(piece.length, 5, 3)
    this.#options.send(Buffer.concat([head, piece]))
  }

  #reset(id: number, status: number): void {
    this.#streams.delete(id)
    this.#send(RST_STREAM, 0, numbers(id, status))
  }

  #send(type: number, flags: number, body: Buffer): void {
    if (this.#isClosed) return
    const head = Buffer.alloc(FRAME_HEAD)
    head.writeUInt16BE(CONTROL, 0)
    head.writeUInt16BE(type, 2)
    head.writeUInt8(flags, 4)
    head.writeUIntBE(body.length, 5, 3)
    this.#options.send(Buffer.concat([head, body]))
  }
}

interface StreamActions {
  readonly data: (piece: Buffer, flags: number) => void
  readonly reset: () => void
  readonly over: () => void
}

class OpenStream implements SpdyStream {
  readonly headers: SpdyHeaders
  onData: ((piece: Buffer | undefined) => void) | undefined
  onReset: (() => void) | undefined
  readonly #actions: StreamActions
  #hasEnded = false
  #hasReceivedAll = false

  constructor(headers: SpdyHeaders, actions: StreamActions) {
    this.headers = headers
    this.#actions = actions
  }

  write(piece: Buffer): void {
    if (!this.#hasEnded) this.#actions.data(piece, 0)
  }

  end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#actions.data(Buffer.alloc(0), FIN)
    if (this.#hasReceivedAll) this.#actions.over()
  }

  reset(): void {
    this.#hasEnded = true
    this.#actions.reset()
  }

  received(piece: Buffer | undefined): void {
    this.onData?.(piece)
    if (piece !== undefined) return
    this.#hasReceivedAll = true
    if (this.#hasEnded) this.#actions.over()
  }
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}
