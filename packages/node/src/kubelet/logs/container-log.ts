import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@orrery/kube/clock'
import { Followers } from './followers.js'
import { LineEncoder, LineFormatter, type LogStream } from './log-line.js'
import type { LogRequest, LogSource } from './log-source.js'
import { Pace } from './pace.js'
import { SharedFile } from './shared-file.js'

/** The kubelet's default: five files of 10 MiB. */
const FILE_BYTES = 10 * 1024 * 1024
const FILES = 5
/** A limit on the write rate, so that a flood of output does not rotate files faster than a client can read. */
const BYTES_PER_SECOND = 16 * 1024 * 1024
const BLOCK = 64 * 1024
const NEWLINE = 0x0a

interface Position {
  readonly file: number
  readonly offset: number
}

/**
 * The log of one run of a container, in numbered files: `<restarts>.<number>.log`. When a file is full, the next one is
 * started and the oldest is removed. Files are never renamed, so that readers are not confused.
 */
export class ContainerLog implements LogSource {
  readonly #directory: string
  readonly #restarts: number
  readonly #clock: Clock
  readonly #fileBytes: number
  readonly #encoders = { stdout: new LineEncoder('stdout'), stderr: new LineEncoder('stderr') }
  readonly #followers: Followers
  /** The files that are being read, by their number. */
  readonly #reading = new Map<number, SharedFile>()
  readonly #pace: Pace
  #newest = 0
  #oldest = 0
  #descriptor: number | undefined
  #size = 0
  #closed = false

  private constructor(directory: string, restarts: number, clock: Clock, fileBytes: number) {
    this.#directory = directory
    this.#restarts = restarts
    this.#clock = clock
    this.#fileBytes = fileBytes
    this.#followers = new Followers(clock)
    this.#pace = new Pace(clock, BYTES_PER_SECOND)
  }

  /** Starts the log of a run. Removes all logs but that of the previous run. */
  static begin(directory: string, restarts: number, clock: Clock, fileBytes = FILE_BYTES): ContainerLog {
    mkdirSync(directory, { recursive: true })
    for (const { name, run } of logFiles(directory)) {
      if (run !== restarts - 1) rmSync(join(directory, name), { force: true })
    }
    const log = new ContainerLog(directory, restarts, clock, fileBytes)
    log.#open()
    return log
  }

  /** Returns the log of a past run; undefined if there is none. */
  static ended(directory: string, restarts: number, clock: Clock): ContainerLog | undefined {
    const numbers = logFiles(directory).flatMap(({ run, number }) => (run === restarts ? [number] : []))
    if (numbers.length === 0) return undefined
    const log = new ContainerLog(directory, restarts, clock, FILE_BYTES)
    log.#oldest = Math.min(...numbers)
    log.#newest = Math.max(...numbers)
    log.#closed = true
    return log
  }

  /**
   * Appends output. Returns undefined if more may be written immediately; otherwise a promise that resolves when it
   * may.
   */
  append(stream: LogStream, piece: Buffer): Promise<void> | undefined {
    const lines = this.#encoders[stream].encode(piece, this.#clock.now())
    this.#write(lines)
    return this.#pace.count(lines.length)
  }

  /** Marks the log as complete. */
  close(): void {
    if (this.#closed) return
    for (const encoder of Object.values(this.#encoders)) this.#write(encoder.flush(this.#clock.now()))
    this.#closed = true
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
    this.#followers.notify()
  }

  async *read(request: LogRequest, signal: AbortSignal): AsyncGenerator<Buffer> {
    const formatter = new LineFormatter(request)
    let { file, offset } =
      request.tailLines === undefined ? { file: this.#oldest, offset: 0 } : await this.#tail(request.tailLines)
    let shared: SharedFile | undefined
    try {
      while (!signal.aborted && !formatter.isDone) {
        // Check this before reading, so that lines written in between are read before the next file.
        const isBehind = file < this.#newest
        const isOver = this.#closed || !request.follow
        shared ??= SharedFile.acquire(this.#reading, file, this.#path(file))
        const block = await shared.read(offset, this.#available(file, offset))
        offset += block.length
        const text = formatter.format(block)
        if (text.length > 0) yield text
        if (block.length > 0) continue
        if (isBehind) {
          await shared.release(this.#reading, file)
          shared = undefined
          file = Math.max(file + 1, this.#oldest)
          offset = 0
        } else if (isOver) return
        else if (file === this.#newest && offset >= this.#size && !this.#closed) await this.#followers.next(signal)
      }
    } finally {
      await shared?.release(this.#reading, file)
    }
  }

  /**
   * How many bytes to read. Of the file that is being written, exactly those that are there: a read that another reader has
   * started earlier must not be taken for the end of the file.
   */
  #available(file: number, offset: number): number {
    if (file < this.#newest || this.#descriptor === undefined) return BLOCK
    return Math.min(BLOCK, this.#size - offset)
  }

  /** Returns the position of the last lines. */
  async #tail(lines: number): Promise<Position> {
    if (lines === 0) return { file: this.#newest, offset: await this.#sizeOf(this.#newest) }
    let left = lines
    const block = Buffer.allocUnsafe(BLOCK)
    for (let file = this.#newest; file >= this.#oldest; file--) {
      const handle = await openOrNothing(this.#path(file))
      if (handle === undefined) continue
      try {
        const { size } = await handle.stat()
        for (let end = size; end > 0; ) {
          const start = Math.max(0, end - BLOCK)
          const { bytesRead } = await handle.read(block, 0, end - start, start)
          for (let at = bytesRead - 1; at >= 0; at--) {
            // The final newline ends the last line; it does not start another.
            if (block[at] !== NEWLINE || start + at === size - 1) continue
            if (--left === 0) return { file, offset: start + at + 1 }
          }
          end = start
        }
        if (size > 0 && --left === 0) return { file, offset: 0 }
      } finally {
        await handle.close()
      }
    }
    return { file: this.#oldest, offset: 0 }
  }

  async #sizeOf(file: number): Promise<number> {
    const handle = await openOrNothing(this.#path(file))
    try {
      return (await handle?.stat())?.size ?? 0
    } finally {
      await handle?.close()
    }
  }

  #write(lines: Buffer): void {
    if (lines.length === 0 || this.#descriptor === undefined) return
    if (this.#size > 0 && this.#size + lines.length > this.#fileBytes) this.#rotate()
    try {
      this.#size += writeSync(this.#descriptor, lines)
    } catch {
      // On a full disk, drop log lines instead of failing the container.
      return
    }
    this.#followers.notify()
  }

  #rotate(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#newest++
    this.#open()
    for (; this.#newest - this.#oldest >= FILES; this.#oldest++) rmSync(this.#path(this.#oldest), { force: true })
  }

  #open(): void {
    this.#descriptor = openSync(this.#path(this.#newest), 'w', 0o600)
    this.#size = 0
  }

  #path(number: number): string {
    return join(this.#directory, `${this.#restarts}.${number}.log`)
  }
}

interface LogFile {
  readonly name: string
  readonly run: number
  readonly number: number
}

function logFiles(directory: string): LogFile[] {
  let names: string[]
  try {
    names = readdirSync(directory)
  } catch {
    // A container that never ran has no log directory.
    return []
  }
  return names.flatMap((name) => {
    const [, run, number] = /^(\d+)\.(\d+)\.log$/.exec(name) ?? []
    return run === undefined ? [] : [{ name, run: Number(run), number: Number(number) }]
  })
}

async function openOrNothing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch {
    return undefined
  }
}
