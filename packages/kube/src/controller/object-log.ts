import type { LogFields, Logger, LogLevel } from '../log.js'

/** A log that adds the object to every line. It is created for each run, so it does no work until it is used. */
export class ObjectLog implements Logger {
  readonly #log: Logger
  readonly #about: LogFields

  constructor(log: Logger, about: LogFields) {
    this.#log = log
    this.#about = about
  }

  debug(message: string, fields?: LogFields): void {
    this.#log.debug(message, { ...this.#about, ...fields })
  }

  info(message: string, fields?: LogFields): void {
    this.#log.info(message, { ...this.#about, ...fields })
  }

  warn(message: string, fields?: LogFields): void {
    this.#log.warn(message, { ...this.#about, ...fields })
  }

  error(message: string, fields?: LogFields): void {
    this.#log.error(message, { ...this.#about, ...fields })
  }

  enables(level: LogLevel): boolean {
    return this.#log.enables(level)
  }

  child(component: string): Logger {
    return new ObjectLog(this.#log.child(component), this.#about)
  }
}
