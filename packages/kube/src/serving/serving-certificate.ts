import type { Logger } from '../log.js'
import type { KeyPair } from './key-pair.js'

/** The certificate of a server. It can be replaced at any time. */
export interface ServingCertificate {
  /** Undefined until there is a certificate. */
  readonly current: KeyPair | undefined
  /** Calls back with every later certificate. Returns a function that stops this. */
  onChange(use: (pair: KeyPair) => void): () => void
  /** Checks whether there is a new one. */
  refresh(): Promise<void>
  close(): void
}

/** The last valid certificate. An invalid one is logged once and not used. */
export class LastGood {
  readonly #log: Logger
  readonly #place: Readonly<Record<string, string>>
  readonly #listeners = new Set<(pair: KeyPair) => void>()
  #pair: KeyPair | undefined
  #problem = ''

  /** `place`: where the certificate is stored, for the log. */
  constructor(log: Logger, place: Readonly<Record<string, string>>) {
    this.#log = log
    this.#place = place
  }

  get pair(): KeyPair | undefined {
    return this.#pair
  }

  onChange(use: (pair: KeyPair) => void): () => void {
    this.#listeners.add(use)
    return () => this.#listeners.delete(use)
  }

  /** Uses the certificate that was read, if it is valid and new. */
  take(read: () => KeyPair): void {
    let pair: KeyPair
    try {
      pair = read()
    } catch (error) {
      this.report((error as Error).message)
      return
    }
    this.#problem = ''
    const { cert, key, ca } = this.#pair ?? {}
    if (pair.cert === cert && pair.key === key && pair.ca === ca) return
    this.#pair = pair
    for (const use of this.#listeners) use(pair)
    this.#log.info('serving certificate loaded', { ...this.#place, notAfter: pair.notAfter })
  }

  report(problem: string): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#log.warn('serving certificate is not valid', { ...this.#place, problem })
  }
}
