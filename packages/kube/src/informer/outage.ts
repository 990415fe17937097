import { isGone, StatusError } from '@orrery/kinds/values'
import type { Clock } from '../clock.js'
import type { LogFields, Logger } from '../log.js'

/** How an informer fares. */
export interface InformerHealth {
  /** When it stopped being up to date; undefined while it is. */
  readonly failingSince: Date | undefined
  /** How long that is ago, in milliseconds, whatever became of the time of day. 0 while it is up to date. */
  readonly failingFor: number
  /** What went wrong last, also after it was overcome. */
  readonly lastError: Error | undefined
}

/** Remembers a time of failures, and logs each of them once, however often they come back. */
export class Outage {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #about: LogFields
  readonly #told = new Set<string>()
  #since: Date | undefined
  /** The same by the clock's elapsed time. */
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
    this.#log[level]('cannot follow the API server, trying again', fields)
  }

  over(): void {
    if (this.#since === undefined) return
    const milliseconds = Math.round(this.#lasts)
    this.#log.info('following the API server again', { ...this.#about, milliseconds, failures: this.#failures })
    this.#since = undefined
    this.#failures = 0
    this.#told.clear()
  }
}

/** Messages may differ in every attempt, such as by a port or a revision: what they are about does not. */
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
