import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import {
  BRANCH,
  checkHeader,
  checkTreePage,
  type Elsewhere,
  FileDamaged,
  freeRuns,
  LEAF,
  META_SIZE,
  newestSnapshot,
  nodeChild,
  nodeKey,
  nodeStart,
  nodeValue,
  OVERFLOW,
  PAGE_HEADER,
  readSnapshot,
  type Snapshot,
  type Tree,
} from './lmdb-format.js'

const MAX_DEPTH = 32
const WINDOW = 256 * 1024

/** Visits a key, as a number, and its value, which is valid only during the visit. */
type Visit = (key: number, value: Buffer) => void

/**
 * Reads an LMDB file that no process has open, without LMDB: LMDB maps the file and trusts every number in it, so a
 * truncated or overwritten file would crash the process. This reader checks everything that LMDB relies on and throws
 * `FileDamaged` instead. It visits the main database, whose keys are 8-byte big-endian numbers, in order.
 */
export function readLmdbFile(file: string, visit: Visit): void {
  const descriptor = openSync(file, 'r')
  try {
    new Reader(descriptor).read(visit)
  } finally {
    closeSync(descriptor)
  }
}

/** The state of reading one tree. */
interface Walk {
  readonly readKey: (key: Buffer) => number
  readonly visit: Visit
  /** The next key must be greater. */
  last: number
  branchPages: number
  leafPages: number
  overflowPages: number
  entries: number
}

class Reader {
  /** Values have a separate window: reading a value must not move the page that points to it. */
  readonly #pages: FileWindow
  readonly #values: FileWindow
  readonly #snapshot: Snapshot
  readonly #used: Uint8Array

  constructor(descriptor: number) {
    this.#pages = new FileWindow(descriptor)
    this.#values = new FileWindow(descriptor)
    const first = readSnapshot(this.#pages.bytes(0, PAGE_HEADER + META_SIZE), 0)
    const second = readSnapshot(this.#values.bytes(first.pageSize, PAGE_HEADER + META_SIZE), 1)
    this.#snapshot = newestSnapshot(first, second)
    this.#used = new Uint8Array(Math.ceil(this.#pages.fileSize / first.pageSize))
  }

  read(visit: Visit): void {
    const free: (readonly [number, number])[] = []
    this.#walk(
      this.#snapshot.free,
      (key) => Number(key.readBigUInt64LE(0)),
      (_, value) => {
        for (const run of freeRuns(value)) free.push(run)
      },
    )
    this.#walk(this.#snapshot.main, (key) => Number(key.readBigUInt64BE(0)), visit)
    for (const [page, count] of free) this.#checkFree(page, count)
  }

  #walk(tree: Tree, readKey: Walk['readKey'], visit: Visit): void {
    const walk: Walk = { readKey, visit, last: -1, branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 }
    if (tree.depth > MAX_DEPTH) throw new FileDamaged(`a tree has ${tree.depth} levels`)
    if (tree.root !== undefined) this.#walkPage(tree.root, tree.depth, walk)
    for (const count of ['branchPages', 'leafPages', 'overflowPages', 'entries'] as const) {
      if (walk[count] !== tree[count]) throw new FileDamaged(`${walk[count]} ${count} instead of ${tree[count]}`)
    }
  }

  #walkPage(number: number, depth: number, walk: Walk): void {
    if (depth > 1) this.#walkBranch(number, depth, walk)
    else this.#walkLeaf(number, walk)
  }

  #walkBranch(number: number, depth: number, walk: Walk): void {
    // Copied, since the window moves to its children.
    const page = Buffer.from(this.#page(this.#pages, number, 1))
    const count = checkTreePage(page, number, BRANCH, this.#snapshot.transaction)
    walk.branchPages++
    for (let index = 0; index < count; index++) {
      const node = nodeStart(page, number, index)
      const key = nodeKey(page, number, node)
      if (key !== undefined) {
        advance(walk, walk.readKey(key), number)
        walk.last--
      }
      this.#walkPage(nodeChild(page, node), depth - 1, walk)
    }
  }

  #walkLeaf(number: number, walk: Walk): void {
    const page = this.#page(this.#pages, number, 1)
    const count = checkTreePage(page, number, LEAF, this.#snapshot.transaction)
    walk.leafPages++
    for (let index = 0; index < count; index++) {
      const node = nodeStart(page, number, index)
      const key = walk.readKey(nodeKey(page, number, node) as Buffer)
      advance(walk, key, number)
      const value = nodeValue(page, number, node)
      walk.visit(key, Buffer.isBuffer(value) ? value : this.#overflow(value, walk))
      walk.entries++
    }
  }

  #overflow({ page: number, pages, size }: Elsewhere, walk: Walk): Buffer {
    if (pages !== Math.ceil((PAGE_HEADER + size) / this.#snapshot.pageSize)) {
      throw new FileDamaged(`${pages} pages contain a value of ${size} bytes`)
    }
    const page = this.#page(this.#values, number, pages)
    checkHeader(page, number, OVERFLOW)
    if (page.readUInt32LE(20) !== pages) throw new FileDamaged(`page ${number} has the wrong size`)
    walk.overflowPages += pages
    return page.subarray(PAGE_HEADER, PAGE_HEADER + size)
  }

  /** Returns page `number` and its overflow pages. */
  #page(window: FileWindow, number: number, count: number): Buffer {
    const { pageSize, lastPage } = this.#snapshot
    if (number < 2 || number + count - 1 > lastPage) throw new FileDamaged(`page ${number} does not exist`)
    const page = window.bytes(number * pageSize, count * pageSize)
    for (let at = number; at < number + count; at++) {
      if (this.#used[at] === 1) throw new FileDamaged(`page ${at} is used twice`)
      this.#used[at] = 1
    }
    return page
  }

  #checkFree(number: number, count: number): void {
    if (number < 2 || number + count - 1 > this.#snapshot.lastPage)
      throw new FileDamaged(`page ${number} does not exist`)
    for (let at = number; at < number + count; at++) {
      if (this.#used[at] === 1) throw new FileDamaged(`page ${at} is both used and listed as free`)
    }
  }
}

function advance(walk: Walk, key: number, page: number): void {
  if (key <= walk.last) throw new FileDamaged(`the keys in page ${page} are out of order`)
  walk.last = key
}

/** Reads a file in windows. */
class FileWindow {
  readonly fileSize: number
  readonly #descriptor: number
  readonly #buffer = Buffer.allocUnsafeSlow(WINDOW)
  #start = 0
  #end = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
    this.fileSize = fstatSync(descriptor).size
  }

  /** The result is valid until the next call. */
  bytes(start: number, length: number): Buffer {
    if (start + length > this.fileSize) {
      throw new FileDamaged(`it ends at byte ${this.fileSize} but should have bytes up to ${start + length}`)
    }
    if (length > WINDOW) return this.#read(Buffer.allocUnsafeSlow(length), start, length)
    if (start < this.#start || start + length > this.#end) {
      const available = Math.min(WINDOW, this.fileSize - start)
      this.#read(this.#buffer, start, available)
      this.#start = start
      this.#end = start + available
    }
    return this.#buffer.subarray(start - this.#start, start - this.#start + length)
  }

  #read(target: Buffer, start: number, length: number): Buffer {
    let done = 0
    while (done < length) {
      const count = readSync(this.#descriptor, target, done, length - done, start + done)
      if (count === 0) throw new FileDamaged(`it ends at byte ${start + done}`)
      done += count
    }
    return target.subarray(0, length)
  }
}
