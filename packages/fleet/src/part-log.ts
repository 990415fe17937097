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

/** A log this long makes room for a new one, and is kept until that is as long. */
const MAX_LOG_BYTES = 16 * 1024 * 1024
/** Tells a process where what it writes goes. */
const LOG_FILE_VARIABLE = 'ORRERY_LOG_FILE'
const STANDARD_ERROR = 2

/** Opens the log of a process that is about to be started. */
export function openLog(file: string, maxBytes = MAX_LOG_BYTES): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > maxBytes) renameSync(file, `${file}.old`)
  return openSync(file, 'a', 0o600)
}

/** What a process whose standard error is a log has to know about it. */
export function logEnvironment(file: string): Readonly<Record<string, string>> {
  return { [LOG_FILE_VARIABLE]: file }
}

/** Writes to standard error. Where that is a log of the fleet, it is kept from growing without end. */
export function standardLog(environment = process.env): (line: string) => void {
  const write = (line: string) => void process.stderr.write(line)
  const file = environment[LOG_FILE_VARIABLE]
  // What this process started may have the variable, and another log.
  if (file === undefined || !isSameFile(fstatSync(STANDARD_ERROR), statSync(file, { throwIfNoEntry: false })))
    return write
  const log = new ShortLog(file, STANDARD_ERROR, MAX_LOG_BYTES)
  return (line) => {
    log.makeRoom(Buffer.byteLength(line))
    try {
      writeSync(STANDARD_ERROR, line)
    } catch {
      // A full disk is no reason to end: what is lost is what would have been told.
    }
  }
}

/**
 * A log that one process writes to, as its own standard error: it cannot be given another file while it runs. So the file
 * is copied and emptied. Nothing is lost on the way, since who writes is who does this.
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

  /** Called before so much is written. */
  makeRoom(bytes: number): void {
    this.#size += bytes
    if (this.#size <= this.#maxBytes) return
    const copy = `${this.#file}.partial`
    try {
      copyFileSync(this.#file, copy)
      renameSync(copy, `${this.#file}.old`)
      ftruncateSync(this.#descriptor)
    } catch {
      // Mostly a full disk, on which the log does not grow either: what is there stays, and is tried again when it did.
      rmSync(copy, { force: true })
    }
    this.#size = bytes
  }
}

function isSameFile(a: Stats, b: Stats | undefined): boolean {
  return b !== undefined && a.dev === b.dev && a.ino === b.ino
}
