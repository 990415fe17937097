import type { Logger } from '@orrery/kube'
import type { KeyPair } from './key-pair.js'

/** The certificate of a server, from wherever it is kept. It may be replaced at any time. */
export interface ServingCertificate {
  /** Undefined until there is one. */
  readonly current: KeyPair | undefined
  /** Calls back with every certificate that comes after this one. Returns the way to stop. */
  onChange(use: (pair: KeyPair) => void): () => void
  /** Looks whether there is another. */
  refresh(): Promise<void>
  close(): void
}

/** The last good certificate: what cannot be used is told in the log, once, and changes nothing. */
export class LastGood {
  readonly #log: Logger
  readonly #place: Readonly<Record<string, string>>
  readonly #listeners = new Set<(pair: KeyPair) => void>()
  #pair: KeyPair | undefined
  #problem = ''

  /** `place` says in the log where the certificate is kept. */
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

  /** Takes what was read, if it can be used and is another. */
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
    this.#log.info('the certificate of the webhooks was read', { ...this.#place, notAfter: pair.notAfter })
  }

  report(problem: string): void {
    if (problem === this.#problem) return
    this.#problem = problem
    this.#log.warn('the certificate of the webhooks cannot be used', { ...this.#place, problem })
  }
}
