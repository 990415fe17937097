import { LineEncoder, LineFormatter } from './log-line.js'
import type { LogRequest, LogSource } from './log-source.js'
import { Notifier } from './notifier.js'

/** The log of a played container, which explains that nothing runs. */
export class PlayedLog implements LogSource {
  readonly #lines: readonly string[]
  readonly #time: Date
  readonly #ended = new Notifier()
  #closed = false

  constructor(image: string, startedAt: Date) {
    this.#time = startedAt
    this.#lines = [
      `This container is played: no program runs for the image ${image}.`,
      'To run it as a process of this machine, register the image as a program of the node.',
    ]
  }

  close(): void {
    this.#closed = true
    this.#ended.notify()
  }

  async *read(request: LogRequest, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { tailLines = this.#lines.length } = request
    const lines = tailLines === 0 ? [] : this.#lines.slice(-tailLines)
    const file = new LineEncoder('stdout').encode(Buffer.from(lines.map((line) => `${line}\n`).join('')), this.#time)
    const text = new LineFormatter(request).format(file)
    if (text.length > 0) yield text
    if (!request.follow || this.#closed || signal.aborted) return
    await this.#ended.next(signal)
  }
}
