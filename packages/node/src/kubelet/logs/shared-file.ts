import { type FileHandle, open } from 'node:fs/promises'

const NO_BYTES = Buffer.alloc(0)

/** A file with many readers, who share one descriptor, and the blocks that they read at the same time. */
export class SharedFile {
  readonly #handle: Promise<FileHandle | undefined>
  readonly #reads = new Map<string, Promise<Buffer>>()
  #readers = 0

  private constructor(path: string) {
    this.#handle = openOrNothing(path)
  }

  /** The file of this key for one more reader, who has to call `release`. Opens it for the first. */
  static acquire<K>(files: Map<K, SharedFile>, key: K, path: string): SharedFile {
    const known = files.get(key)
    const file = known ?? new SharedFile(path)
    if (known === undefined) files.set(key, file)
    file.#readers++
    return file
  }

  /** Closes the file after the last reader. */
  async release<K>(files: Map<K, SharedFile>, key: K): Promise<void> {
    if (--this.#readers > 0) return
    if (files.get(key) === this) files.delete(key)
    await (await this.#handle)?.close()
  }

  /**
   * Returns up to `length` bytes from an offset; nothing at the end, and if the file does not exist. Readers get the same
   * block if they ask for the same bytes at the same time: do not change it.
   */
  read(offset: number, length: number): Promise<Buffer> {
    const key = `${offset} ${length}`
    const running = this.#reads.get(key)
    if (running !== undefined) return running
    const read = this.#read(offset, length).finally(() => this.#reads.delete(key))
    this.#reads.set(key, read)
    return read
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const handle = await this.#handle
    if (handle === undefined || length === 0) return NO_BYTES
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset)
    return buffer.subarray(0, bytesRead)
  }
}

async function openOrNothing(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r')
  } catch {
    return undefined
  }
}
