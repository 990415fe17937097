import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Space for the removal of the largest object that a request can create, including the pages that LMDB changes. */
export const RESERVE_BYTES = 4 * 1024 * 1024
/** With less free space than this a commit of a few pages can fail. */
export const FULL = 1024 * 1024

/**
 * Disk space reserved for removals: a file that is deleted when a removal finds no space. Without it a full disk could
 * not be freed through the API, since a removal is a record too. Its content is random, so that compressing file
 * systems allocate its full size.
 */
export class Reserve {
  readonly #directory: string
  readonly #file: string
  #state: 'held' | 'pending' | 'released'
  #taking: Promise<void> | undefined

  constructor(directory: string) {
    this.#directory = directory
    this.#file = join(directory, 'reserve')
    this.#state = statSync(this.#file, { throwIfNoEntry: false })?.size === RESERVE_BYTES ? 'held' : 'pending'
  }

  /** Whether the reserve was released, so that ordinary writes must not use the remaining space. */
  get isReleased(): boolean {
    return this.#state === 'released'
  }

  /** Creates the reserve in the background, so that the start does not wait for it. */
  takeSoon(): void {
    if (this.#state !== 'pending') return
    this.#taking = this.#take().then((taken) => {
      if (this.#state === 'pending') this.#state = taken ? 'held' : 'released'
    })
  }

  /** Creates the reserve if the disk has enough space. Returns whether it exists. */
  takeNow(): boolean {
    if (this.#state !== 'released') return true
    if (!this.#isThereRoom()) return false
    try {
      writeFileSync(this.#file, randomBytes(RESERVE_BYTES), { mode: 0o600 })
      this.#state = 'held'
      return true
    } catch {
      rmSync(this.#file, { force: true })
      return false
    }
  }

  /** Releases the reserve. Returns whether there was one. */
  release(): boolean {
    if (this.#state === 'released') return false
    this.#state = 'released'
    rmSync(this.#file, { force: true })
    return true
  }

  async close(): Promise<void> {
    await this.#taking
  }

  async #take(): Promise<boolean> {
    try {
      if (!this.#isThereRoom()) return false
      await writeFile(this.#file, randomBytes(RESERVE_BYTES), { mode: 0o600 })
      if (this.#state === 'pending') return true
    } catch {
      // The disk is full or the directory was removed: a partial file would only take space.
    }
    await rm(this.#file, { force: true })
    return false
  }

  #isThereRoom(): boolean {
    return roomOn(this.#directory) >= RESERVE_BYTES + FULL
  }
}

/** Returns the free bytes on the file system of a directory; 0 if the directory does not exist. */
export function roomOn(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return 0
  }
}
