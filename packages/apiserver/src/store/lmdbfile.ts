import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The file is not what LMDB wrote: cut short, overwritten or rotten. */
export class FileDamaged extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'FileDamaged'
  }
}

const MAGIC = 0xbeefc0de
const VERSION = 2
const PAGE_HEADER = 24
const NODE_HEADER = 8
const META_SIZE = 144
const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
const IN_OVERFLOW_PAGES = 0x01
/** What a leaf holds in place of a value that has pages of its own. */
const OVERFLOW_POINTER = 24
const MAX_DEPTH = 32
const WINDOW = 256 * 1024

interface Tree {
  readonly depth: number
  readonly entries: number
  /** Undefined when the tree is empty. */
  readonly root: number | undefined
}

interface Snapshot {
  readonly transaction: bigint
  readonly pageSize: number
  readonly lastPage: number
  readonly free: Tree
  readonly main: Tree
}

/**
 * Reads an LMDB file that nobody has open, without LMDB: LMDB maps the file and trusts every page number in it, so a
 * file that was cut short or overwritten would end the process. This checks each page it follows and throws
 * `FileDamaged` instead. It visits every key and value of the main database in order; `value` is only valid during
 * the visit.
 */
export function readLmdbFile(file: string, visit: (key: Buffer, value: Buffer) => void): void {
  const descriptor = openSync(file, 'r')
  try {
    const reader = new Reader(descriptor)
    reader.walk(reader.snapshot.free, () => undefined)
    reader.walk(reader.snapshot.main, visit)
  } finally {
    closeSync(descriptor)
  }
}

class Reader {
  readonly snapshot: Snapshot
  /** Values have a window of their own: reading one must not move the page that points to it. */
  readonly #pages: FileWindow
  readonly #values: FileWindow
  readonly #seen: Uint8Array

  constructor(descriptor: number) {
    this.#pages = new FileWindow(descriptor)
    this.#values = new FileWindow(descriptor)
    this.snapshot = newestSnapshot(this.#pages)
    this.#seen = new Uint8Array(Math.ceil(this.#pages.fileSize / this.snapshot.pageSize))
  }

  walk(tree: Tree, visit: (key: Buffer, value: Buffer) => void): void {
    if (tree.root === undefined) return
    if (tree.depth > MAX_DEPTH) throw new FileDamaged(`a tree is ${tree.depth} levels deep`)
    const entries = this.#walkPage(tree.root, tree.depth, visit)
    if (entries !== tree.entries) throw new FileDamaged(`a tree holds ${entries} entries and not ${tree.entries}`)
  }

  #walkPage(number: number, depth: number, visit: (key: Buffer, value: Buffer) => void): number {
    return depth > 1 ? this.#walkBranch(number, depth, visit) : this.#walkLeaf(number, visit)
  }

  #walkBranch(number: number, depth: number, visit: (key: Buffer, value: Buffer) => void): number {
    // A copy of its own: the window moves on to its children.
    const page = Buffer.from(this.#page(this.#pages, number, 1, BRANCH))
    const count = countNodes(page, number)
    let entries = 0
    for (let index = 0; index < count; index++) {
      entries += this.#walkPage(childOf(page, nodeStart(page, number, index)), depth - 1, visit)
    }
    return entries
  }

  #walkLeaf(number: number, visit: (key: Buffer, value: Buffer) => void): number {
    const page = this.#page(this.#pages, number, 1, LEAF)
    const count = countNodes(page, number)
    for (let index = 0; index < count; index++) {
      const node = nodeStart(page, number, index)
      const keyEnd = node + NODE_HEADER + page.readUInt16LE(node + 6)
      const size = page.readUInt32LE(node)
      const elsewhere = (page.readUInt16LE(node + 4) & IN_OVERFLOW_PAGES) !== 0
      const end = keyEnd + (elsewhere ? OVERFLOW_POINTER : size)
      if (end > page.length) throw new FileDamaged(`a node leaves page ${number}`)
      const value = page.subarray(keyEnd, end)
      visit(page.subarray(node + NODE_HEADER, keyEnd), elsewhere ? this.#overflow(value, size) : value)
    }
    return count
  }

  #overflow(pointer: Buffer, size: number): Buffer {
    const number = Number(pointer.readBigUInt64LE(0))
    const pages = Math.ceil((PAGE_HEADER + size) / this.snapshot.pageSize)
    return this.#page(this.#values, number, pages, OVERFLOW).subarray(PAGE_HEADER, PAGE_HEADER + size)
  }

  /** Page `number` and those after it that belong to it. */
  #page(window: FileWindow, number: number, count: number, kind: number): Buffer {
    const { pageSize, lastPage } = this.snapshot
    if (!(number >= 2 && number + count - 1 <= lastPage)) {
      throw new FileDamaged(`page ${number} is not one of its ${lastPage + 1} pages`)
    }
    const page = window.bytes(number * pageSize, count * pageSize)
    for (let at = number; at < number + count; at++) {
      if (this.#seen[at] === 1) throw new FileDamaged(`page ${at} is used twice`)
      this.#seen[at] = 1
    }
    if (Number(page.readBigUInt64LE(0)) !== number || (page.readUInt16LE(18) & (BRANCH | LEAF | OVERFLOW)) !== kind) {
      throw new FileDamaged(`page ${number} holds something else`)
    }
    return page
  }
}

/** Reads a file a stretch at a time. */
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

  /** Valid until the next call. */
  bytes(start: number, length: number): Buffer {
    if (start + length > this.fileSize) {
      throw new FileDamaged(`it ends at byte ${this.fileSize} and should hold bytes up to ${start + length}`)
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

function newestSnapshot(window: FileWindow): Snapshot {
  const first = readSnapshot(window.bytes(0, PAGE_HEADER + META_SIZE))
  const second = readSnapshot(window.bytes(first.pageSize, PAGE_HEADER + META_SIZE))
  if (first.pageSize !== second.pageSize) throw new FileDamaged('its two headers disagree')
  return first.transaction >= second.transaction ? first : second
}

function readSnapshot(page: Buffer): Snapshot {
  const meta = page.subarray(PAGE_HEADER)
  if (meta.readUInt32LE(0) !== MAGIC) throw new FileDamaged('it does not start like an LMDB file')
  const version = meta.readUInt16LE(4)
  if (version !== VERSION) throw new FileDamaged(`it is in LMDB format ${version}, and ${VERSION} is understood`)
  const pageSize = meta.readUInt32LE(24)
  if (pageSize < 512 || pageSize > 65_536 || (pageSize & (pageSize - 1)) !== 0) {
    throw new FileDamaged(`a page size of ${pageSize} is not possible`)
  }
  return {
    pageSize,
    free: readTree(meta.subarray(24, 72)),
    main: readTree(meta.subarray(72, 120)),
    lastPage: Number(meta.readBigUInt64LE(120)),
    transaction: meta.readBigUInt64LE(128),
  }
}

function readTree(bytes: Buffer): Tree {
  const root = bytes.readBigUInt64LE(40)
  const empty = root === 0xffff_ffff_ffff_ffffn
  return {
    depth: bytes.readUInt16LE(6),
    entries: Number(bytes.readBigUInt64LE(32)),
    root: empty ? undefined : Number(root),
  }
}

function countNodes(page: Buffer, number: number): number {
  const count = page.readUInt16LE(20) >> 1
  if (PAGE_HEADER + 2 * count > page.length) throw new FileDamaged(`page ${number} claims ${count} nodes`)
  return count
}

function nodeStart(page: Buffer, number: number, index: number): number {
  const start = page.readUInt16LE(PAGE_HEADER + 2 * index) + PAGE_HEADER
  if (start + NODE_HEADER > page.length) throw new FileDamaged(`a node starts outside page ${number}`)
  return start
}

/** Page numbers are 48 bits wide, in three little-endian words. */
function childOf(page: Buffer, node: number): number {
  return page.readUInt32LE(node) + page.readUInt16LE(node + 4) * 0x1_0000_0000
}
