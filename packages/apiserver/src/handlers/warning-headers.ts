import type { Exchange } from '../http/exchange.js'

/** All warnings of a reply together have at most about this many characters: clients limit what headers they read. */
const MAX_TOTAL = 4096
/** Once they have more, each is cut to this. */
const MAX_EACH = 256

/** Warnings become headers as they are pushed, so that whoever replies need not know of them. */
export class WarningHeaders extends Array<string> {
  readonly #exchange: Pick<Exchange, 'extraHeaders'>
  #total = 0
  #cuts = false

  constructor(exchange: Pick<Exchange, 'extraHeaders'>) {
    super()
    this.#exchange = exchange
  }

  static override get [Symbol.species](): ArrayConstructor {
    return Array
  }

  override push(...messages: string[]): number {
    for (const message of messages) {
      if (message === '' || (this.#cuts && this.#total >= MAX_TOTAL) || this.includes(message)) continue
      super.push(message)
      this.#total += Math.min(message.length, this.#cuts ? MAX_EACH : message.length)
      if (!this.#cuts && this.#total > MAX_TOTAL) this.#startCutting()
      this.#write()
    }
    return this.length
  }

  #startCutting(): void {
    this.#cuts = true
    this.#total = this.reduce((sum, message) => sum + Math.min(message.length, MAX_EACH), 0)
  }

  #write(): void {
    this.#exchange.extraHeaders.Warning = this.map((message) =>
      warningHeader(this.#cuts ? [...message.slice(0, 2 * MAX_EACH)].slice(0, MAX_EACH).join('') : message),
    )
  }
}

/** RFC 7234's `Warning: 299 - "text"`, the form kubectl prints. */
function warningHeader(message: string): string {
  const text = message.replace(/[\p{C}]/gu, ' ').replace(/[\\"]/g, '\\$&')
  return `299 - "${Buffer.from(text, 'utf8').toString('latin1')}"`
}
