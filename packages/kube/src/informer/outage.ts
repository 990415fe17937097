import { isGone, StatusError } from '@orrery/kinds/values'
import type { Clock } from '../clock.js'
import type { LogFields, Logger } from '../log.js'

/** The health of an informer. */
export interface InformerHealth {
  /** When it stopped being up to date; undefined while it is. */
  readonly failingSince: Date | undefined
  /** How long that is ago, in milliseconds, independent of the system time. 0 while it is up to date. */
  readonly failingFor: number
  /** The last error, also after recovery. */
  readonly lastError: Error | undefined
}

/** Records an outage, and logs each of its errors once. */
export class Outage {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #about: LogFields
  readonly #told = new Set<string>()
  #since: Date | undefined
  /** The same in elapsed time. */
  #sinceElapsed = 0
  #lastError: Error | undefined
  #failures = 0

  constructor(clock: Clock, log: Logger, about: LogFields) {
    this.#clock = clock
    this.#log = log
    this.#about = about
  }

  get health(): InformerHealth {
    return { failingSince: this.#since, failingFor: this.#lasts, lastError: this.#lastError }
  }

  get isOn(): boolean {
    return this.#since !== undefined
  }

  get #lasts(): number {
    return this.#since === undefined ? 0 : this.#clock.elapsed() - this.#sinceElapsed
  }

  failed(error: unknown, retryMilliseconds: number): void {
    if (this.#since === undefined) {
      this.#since = this.#clock.now()
      this.#sinceElapsed = this.#clock.elapsed()
    }
    this.#lastError = error instanceof Error ? error : new Error(String(error))
    this.#failures++
    const what = classOf(this.#lastError)
    const level = this.#told.has(what) ? 'debug' : isGone(error) ? 'info' : 'warn'
    this.#told.add(what)
    const fields = {
      ...this.#about,
      error: describe(this.#lastError),
      retryMilliseconds: Math.round(retryMilliseconds),
    }
    this.#log[level]('cannot watch the API server, retrying', fields)
  }

  over(): void {
    if (this.#since === undefined) return
    const milliseconds = Math.round(this.#lasts)
    this.#log.info('watching the API server again', { ...this.#about, milliseconds, failures: this.#failures })
    this.#since = undefined
    this.#failures = 0
    this.#told.clear()
  }
}

/** Messages may differ in every attempt, for example in a port or a revision; the class does not. */
function classOf(error: Error): string {
  if (error instanceof StatusError) return `${error.code} ${error.reason}`
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException
    if (code !== undefined) return code
  }
  return error.name
}

function describe(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${describe(error.cause)}` : error.message
}
