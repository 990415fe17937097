import { randomBytes } from 'node:crypto'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Room for the removal of the largest object a request can make, with the pages LMDB changes on the way. */
export const RESERVE_BYTES = 4 * 1024 * 1024
/** With less room than this on the disk a commit of a few pages can fail. */
export const FULL = 1024 * 1024

/**
 * Space on the disk that is kept for removals: a file that is deleted when a removal finds no room. Without it a full disk
 * could not be emptied through the API, because a removal is a record too. It is random, so that file systems that
 * compress give it its full size.
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

  /** Whether the space has been given to removals, and ordinary writes have to leave them what is left. */
  get isReleased(): boolean {
    return this.#state === 'released'
  }

  /** Takes the space in the background: no start waits for it. */
  takeSoon(): void {
    if (this.#state !== 'pending') return
    this.#taking = this.#take().then((taken) => {
      if (this.#state === 'pending') this.#state = taken ? 'held' : 'released'
    })
  }

  /** Takes the space if the disk has it to spare. Returns whether removals have it. */
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

  /** Gives the space to removals. Returns whether there was any to give. */
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
      // The disk is full, or the directory is gone: what is there of the file takes room from others.
    }
    await rm(this.#file, { force: true })
    return false
  }

  #isThereRoom(): boolean {
    return roomOn(this.#directory) >= RESERVE_BYTES + FULL
  }
}

/** Bytes that the file system of a directory has left; none when the directory is gone. */
export function roomOn(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize
  } catch {
    return 0
  }
}
