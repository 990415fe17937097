import type { Duplex } from 'node:stream'
import { isObject } from '@orrery/kinds/values'

/** The guest agent is a program of the guest: it must not fill the memory of the node. */
const MAX_LINE = 4 * 1024 * 1024
const NEWLINE = 10
/** Marks the start of an answer of the guest agent, after remains of an earlier connection. */
const START = 0xff

export type JsonMessage = Readonly<Record<string, unknown>>

/** Messages in JSON, one on each line, as QEMU and the guest agent exchange them. Lines that are not JSON are skipped. */
export class JsonChannel {
  readonly #stream: Duplex
  readonly #take: (message: JsonMessage) => void
  #pieces: Buffer[] = []
  #length = 0

  constructor(stream: Duplex, take: (message: JsonMessage) => void) {
    this.#stream = stream
    this.#take = take
    // The end is what matters: it is observed as `close`.
    stream.on('error', () => undefined)
    stream.on('data', (piece: Buffer) => this.#receive(piece))
  }

  send(message: object): void {
    if (this.#stream.writable) this.#stream.write(Buffer.from(`${JSON.stringify(message)}\n`))
  }

  #receive(piece: Buffer): void {
    let rest = piece
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      const line = Buffer.concat([...this.#pieces, rest.subarray(0, end)])
      this.#pieces = []
      this.#length = 0
      rest = rest.subarray(end + 1)
      const message = parsed(line)
      if (message !== undefined) this.#take(message)
    }
    if (rest.length === 0) return
    this.#length += rest.length
    if (this.#length > MAX_LINE) this.#stream.destroy()
    else this.#pieces.push(rest)
  }
}

function parsed(line: Buffer): JsonMessage | undefined {
  try {
    const value: unknown = JSON.parse(line.subarray(line.lastIndexOf(START) + 1).toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
