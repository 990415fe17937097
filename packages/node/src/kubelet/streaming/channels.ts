import type { Writable } from 'node:stream'
import type { JsonObject } from '@orrery/kinds'
import type { MessageSocket } from '@orrery/kube/transport'
import { SocketSender } from './socket-sender.js'

/** Subprotocols for commands. Version 5 can also signal the end of input. */
export const COMMAND_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io']
/** No client sends larger pieces of input. */
export const MAX_MESSAGE = 4 * 1024 * 1024

const STDIN = 0
const STDOUT = 1
const STDERR = 2
const ERROR = 3
const RESIZE = 4
const CLOSE = 255

/** The size of a terminal. */
export interface TerminalSize {
  readonly rows: number
  readonly columns: number
}

/** The streams of a command that a client requests. */
export interface WantedStreams {
  readonly stdin: boolean
  readonly stdout: boolean
  readonly stderr: boolean
}

/**
 * The streams of a command on one WebSocket: the first byte of each message is its channel. Input that arrives early is
 * buffered, and the client is paused.
 */
export class CommandChannels {
  readonly #socket: MessageSocket
  readonly #sender: SocketSender
  readonly #wanted: WantedStreams
  #early: Buffer[] = []
  #input: Writable | undefined
  #inputEnded = false
  #takesInput = false
  #ends = false
  #onResize: ((size: TerminalSize) => void) | undefined
  #size: TerminalSize | undefined

  constructor(socket: MessageSocket, wanted: WantedStreams) {
    this.#socket = socket
    this.#sender = new SocketSender(socket)
    this.#wanted = wanted
    socket.onMessage((message) => this.#receive(message))
    socket.pause()
    // Like a kubelet, send an empty first message to tell the client that its command is about to run.
    const first = wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR
    void this.#sender.send(Buffer.from([first]))
  }

  /** Sends output. The returned promise, if any, resolves when the client can take more. */
  readonly output = (stream: 'stdout' | 'stderr', piece: Buffer): Promise<void> | undefined => {
    if (!this.#wanted[stream]) return undefined
    return this.#sender.send(Buffer.concat([Buffer.from([stream === 'stdout' ? STDOUT : STDERR]), piece]))
  }

  /** Passes the client's input to a command; without one it is dropped. `ends` is whether the client can end it. */
  feed(input: Writable | undefined, ends: boolean): void {
    this.#takesInput = true
    this.#input = input
    this.#ends = ends
    for (const piece of this.#early.splice(0)) this.#pass(piece)
    if (this.#inputEnded && ends) input?.end()
    this.#socket.resume()
  }

  /** Calls back with the current size of the client's terminal and with each change. */
  onResize(callback: (size: TerminalSize) => void): void {
    this.#onResize = callback
    if (this.#size !== undefined) callback(this.#size)
  }

  /** Sends the exit status and closes the connection. */
  finish(status: JsonObject): void {
    const text = JSON.stringify({ metadata: {}, ...status })
    void this.#sender.send(Buffer.concat([Buffer.from([ERROR]), Buffer.from(text)]))
    // Discard what the client still sends. Its close frame comes after that and must be read; otherwise the connection
    // stays open until one side times out.
    this.feed(undefined, false)
    this.#socket.close()
  }

  #receive(message: Buffer): void {
    const channel = message[0]
    const piece = message.subarray(1)
    if (channel === STDIN && this.#wanted.stdin) {
      if (this.#takesInput) this.#pass(piece)
      else this.#early.push(Buffer.from(piece))
    } else if (channel === CLOSE && piece[0] === STDIN) {
      this.#inputEnded = true
      if (this.#takesInput && this.#ends) this.#input?.end()
    } else if (channel === RESIZE) {
      this.#size = sizeIn(piece) ?? this.#size
      if (this.#size !== undefined) this.#onResize?.(this.#size)
    }
  }

  #pass(piece: Buffer): void {
    const input = this.#input
    if (input === undefined || !input.writable || piece.length === 0 || input.write(piece)) return
    this.#socket.pause()
    const resume = () => {
      input.off('drain', resume)
      input.off('close', resume)
      this.#socket.resume()
    }
    input.once('drain', resume)
    input.once('close', resume)
  }
}

function sizeIn(message: Buffer): TerminalSize | undefined {
  try {
    const { Width, Height } = JSON.parse(message.toString('utf8')) as { Width?: unknown; Height?: unknown }
    if (!isSize(Width) || !isSize(Height)) return undefined
    return { columns: Width, rows: Height }
  } catch {
    return undefined
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536
}
