import {
  copyFileSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** A log is rotated at this size. The previous one is kept. */
const MAX_LOG_BYTES = 16 * 1024 * 1024
/** Names the log of a process. */
const LOG_FILE_VARIABLE = 'ORRERY_LOG_FILE'
const STANDARD_ERROR = 2

/** Opens the log of a process to start. */
export function openLog(file: string, maxBytes = MAX_LOG_BYTES): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`)
  return openSync(file, 'a', 0o600)
}

/** The environment of a process whose standard error is a log. */
export function logEnvironment(file: string): Readonly<Record<string, string>> {
  return { [LOG_FILE_VARIABLE]: file }
}

/** Writes to standard error. If that is a log of the fleet, it is rotated. */
export function standardLog(environment = process.env): (line: string) => void {
  const write = (line: string) => void process.stderr.write(line)
  const file = environment[LOG_FILE_VARIABLE]
  // A child process may have inherited the variable, with another log.
  if (file === undefined || !isSameFile(fstatSync(STANDARD_ERROR), statSync(file, { throwIfNoEntry: false })))
    return write
  const log = new ShortLog(file, STANDARD_ERROR, MAX_LOG_BYTES)
  return (line) => {
    log.makeRoom(Buffer.byteLength(line))
    try {
      writeSync(STANDARD_ERROR, line)
    } catch {
      // A full disk does not end the process: only log lines are lost.
    }
  }
}

/**
 * A log that one process writes to as its own standard error. The file of a running process cannot be replaced, so it
 * is copied and truncated. Nothing is lost, since the same process writes and rotates.
 */
export class ShortLog {
  readonly #file: string
  readonly #descriptor: number
  readonly #maxBytes: number
  #size: number

  constructor(file: string, descriptor: number, maxBytes: number) {
    this.#file = file
    this.#descriptor = descriptor
    this.#maxBytes = maxBytes
    this.#size = fstatSync(descriptor).size
  }

  /** Call before writing this many bytes. */
  makeRoom(bytes: number): void {
    this.#size += bytes
    if (this.#size <= this.#maxBytes) return
    const copy = `${this.#file}.partial`
    try {
      copyFileSync(this.#file, copy)
      renameSync(copy, `${this.#file}.old`)
      ftruncateSync(this.#descriptor)
    } catch {
      // Usually a full disk, on which the log does not grow either: the log stays, and rotation is retried later.
      rmSync(copy, { force: true })
    }
    this.#size = bytes
  }
}

function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino
}
