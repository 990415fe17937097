import type { Duplex } from 'node:stream'
import { internalError, isObject } from '@orrery/kinds/values'
import { JsonChannel, type JsonMessage } from './json-channel.js'

/** An event of QEMU, such as `SHUTDOWN`. */
export interface QmpEvent {
  readonly name: string
  readonly data: Readonly<Record<string, unknown>>
}

interface Pending {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** A connection to the monitor of QEMU (QEMU Machine Protocol), or to a guest agent, which has the same commands and answers. */
export class QmpConnection {
  /** Resolves with the greeting of QEMU. */
  readonly greeted: Promise<void>
  readonly #channel: JsonChannel
  readonly #pending = new Map<number, Pending>()
  #greet: () => void = () => undefined
  #next = 1
  #isClosed = false

  constructor(stream: Duplex, onEvent: (event: QmpEvent) => void = () => undefined) {
    this.greeted = new Promise((resolve) => {
      this.#greet = resolve
    })
    this.#channel = new JsonChannel(stream, (message) => this.#receive(message, onEvent))
    stream.on('close', () => this.#close())
  }

  /** Runs a command. Rejects with QEMU's description if it fails. */
  async execute(command: string, options?: object): Promise<unknown> {
    if (this.#isClosed) throw internalError('the virtual machine has ended')
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#channel.send({ execute: command, ...(options !== undefined && { arguments: options }), id })
    })
  }

  #receive(message: JsonMessage, onEvent: (event: QmpEvent) => void): void {
    const { event, data, id, error } = message
    if ('QMP' in message) this.#greet()
    else if (typeof event === 'string') onEvent({ name: event, data: isObject(data) ? data : {} })
    else this.#answer(Number(id), error, message.return)
  }

  #answer(id: number, error: unknown, value: unknown): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error === undefined) pending?.resolve(value)
    else pending?.reject(internalError(describe(error)))
  }

  #close(): void {
    this.#isClosed = true
    const all = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of all) reject(internalError('the virtual machine has ended'))
  }
}

function describe(error: unknown): string {
  const text = isObject(error) ? error.desc : undefined
  return typeof text === 'string' ? text : 'the command failed'
}
