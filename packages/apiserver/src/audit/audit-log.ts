import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '@orrery/kube'

const DEFAULT_MAX_BYTES = 100 * 1024 * 1024
const DEFAULT_MAX_FILES = 10
const DEFAULT_MAX_BACKLOG = 64 * 1024 * 1024

export interface AuditLogOptions {
  readonly path: string
  /** A file larger than this is rotated to `<path>.1`. Defaults to 100 MiB. */
  readonly maxBytes?: number
  /** The number of rotated files to keep. Defaults to 10. */
  readonly maxFiles?: number
  /** The maximum bytes that wait for a slow disk; further lines are dropped and counted. Defaults to 64 MiB. */
  readonly maxBacklog?: number
  readonly log: Logger
}

/**
 * Appends lines to a file that is rotated by size (the audit log backend). `write` only queues: one writer writes the
 * queue in large pieces, so a request never waits for the disk.
 */
export class AuditLog {
  readonly #options: Required<AuditLogOptions>
  #queue: string[] = []
  #queuedBytes = 0
  #dropped = 0
  #working: Promise<void> | undefined
  #file: FileHandle | undefined
  #fileBytes = 0

  constructor(options: AuditLogOptions) {
    this.#options = {
      maxBytes: DEFAULT_MAX_BYTES,
      maxFiles: DEFAULT_MAX_FILES,
      maxBacklog: DEFAULT_MAX_BACKLOG,
      ...options,
    }
  }

  /** Opens the file, so that a wrong path is reported at the start. */
  async open(): Promise<void> {
    if (this.#file === undefined) await this.#open()
  }

  /** The number of lines that were lost because the disk was too slow or refused them. */
  get dropped(): number {
    return this.#dropped
  }

  /** Queues one line, which must end with a newline. */
  write(line: string): void {
    if (this.#queuedBytes + line.length > this.#options.maxBacklog) {
      this.#dropped++
      return
    }
    this.#queue.push(line)
    this.#queuedBytes += line.length
    this.#working ??= this.#work()
  }

  /** Waits until everything queued so far is written. */
  async flush(): Promise<void> {
    while (this.#working !== undefined) await this.#working
  }

  /** Writes the queue and closes the file. */
  async close(): Promise<void> {
    await this.flush()
    await this.#file?.sync()
    await this.#file?.close()
    this.#file = undefined
  }

  async #work(): Promise<void> {
    // Lets other requests of this turn of the event loop queue their lines.
    await new Promise(setImmediate)
    while (this.#queue.length > 0) {
      const lines = this.#queue
      this.#queue = []
      this.#queuedBytes = 0
      try {
        await this.#append(lines)
      } catch (error) {
        this.#dropped += lines.length
        this.#options.log.error('audit log cannot be written', { path: this.#options.path, lines: lines.length, error })
      }
    }
    this.#working = undefined
  }

  async #append(lines: readonly string[]): Promise<void> {
    if (this.#fileBytes > this.#options.maxBytes) await this.#turnOver()
    const file = this.#file ?? (await this.#open())
    const bytes = Buffer.from(lines.join(''))
    await file.appendFile(bytes)
    this.#fileBytes += bytes.length
  }

  async #open(): Promise<FileHandle> {
    const { path } = this.#options
    await mkdir(dirname(path), { recursive: true })
    this.#file = await open(path, 'a', 0o600)
    this.#fileBytes = (await this.#file.stat()).size
    return this.#file
  }

  async #turnOver(): Promise<void> {
    const { path, maxFiles } = this.#options
    await this.#file?.close()
    this.#file = undefined
    this.#fileBytes = 0
    await rm(`${path}.${maxFiles}`, { force: true })
    for (let i = maxFiles - 1; i >= 0; i--) {
      const from = i === 0 ? path : `${path}.${i}`
      if (await exists(from)) await rename(from, `${path}.${i + 1}`)
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
