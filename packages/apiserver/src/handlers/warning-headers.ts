import type { Exchange } from '../http/exchange.js'

/** The approximate maximum length of all warnings of a response, since clients limit the size of headers. */
const MAX_TOTAL = 4096
/** The maximum length of each warning beyond that. */
const MAX_EACH = 256

/** Warnings become headers when they are added, so that handlers need not handle them. */
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

/** The `Warning: 299 - "text"` header of RFC 7234, which kubectl prints. */
function warningHeader(message: string): string {
  const text = message.replace(/[\p{C}]/gu, ' ').replace(/[\\"]/g, '\\$&')
  return `299 - "${Buffer.from(text, 'utf8').toString('latin1')}"`
}
