import { readFileSync, statSync } from 'node:fs'
import type { Logger } from '@orrery/kube'

/** A file with what users register by image, read again after each change. An unreadable file keeps what is known. */
export class RegisteredFile<T> {
  readonly #file: string | undefined
  readonly #parse: (text: string, origin: string) => Readonly<Record<string, T>>
  readonly #what: string
  readonly #log: Logger
  #known: { readonly stamp: string; readonly entries: Readonly<Record<string, T>>; readonly problem?: string } = {
    stamp: '',
    entries: {},
  }

  /** `what` names the entries in the log, such as `programs`. */
  constructor(
    file: string | undefined,
    what: string,
    parse: (text: string, origin: string) => Readonly<Record<string, T>>,
    log: Logger,
  ) {
    this.#file = file
    this.#what = what
    this.#parse = parse
    this.#log = log
  }

  /** The problem with the file; undefined if it was read or does not exist. */
  get problem(): string | undefined {
    this.read()
    return this.#known.problem
  }

  /** Returns the entries by image pattern. */
  read(): Readonly<Record<string, T>> {
    const file = this.#file
    if (file === undefined) return {}
    const found = statSync(file, { throwIfNoEntry: false })
    const stamp = found === undefined ? 'missing' : `${found.mtimeMs} ${found.size} ${found.ino}`
    if (stamp === this.#known.stamp) return this.#known.entries
    let { entries } = this.#known
    try {
      entries = found === undefined ? {} : this.#parse(readFileSync(file, 'utf8'), file)
      this.#known = { stamp, entries }
    } catch (error) {
      this.#log.warn(`Reading ${this.#what} failed`, { file, error })
      this.#known = { stamp, entries, problem: error instanceof Error ? error.message : String(error) }
    }
    return entries
  }
}
