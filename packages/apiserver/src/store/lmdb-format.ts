/**
 * The parts of the LMDB file format (version 2, 64-bit, little-endian) that a reader needs. Everything is checked here,
 * since LMDB itself trusts the file.
 */

/** The file is not as LMDB wrote it: truncated, overwritten or corrupted. */
export class FileDamaged extends Error {
  constructor(why: string) {
    super(why)
    this.name = 'FileDamaged'
  }
}

export const PAGE_HEADER = 24
export const META_SIZE = 144
export const BRANCH = 0x01
export const LEAF = 0x02
export const OVERFLOW = 0x04

const META = 0x08
const MAGIC = 0xbeefc0de
const VERSION = 2
const NODE_HEADER = 8
const KEY_SIZE = 8
const IN_OVERFLOW_PAGES = 0x01
const OVERFLOW_POINTER = 24
const INTEGER_KEYS = 0x08
const NO_PAGE = 0xffff_ffff_ffff_ffffn
const MAX_MAP = 2 ** 47

export interface Tree {
  readonly depth: number
  readonly branchPages: number
  readonly leafPages: number
  readonly overflowPages: number
  readonly entries: number
  /** Undefined if the tree is empty. */
  readonly root: number | undefined
}

/** One committed transaction: the roots of its trees. */
export interface Snapshot {
  readonly transaction: number
  readonly pageSize: number
  readonly lastPage: number
  readonly free: Tree
  readonly main: Tree
}

/** A value in overflow pages. */
export interface Elsewhere {
  readonly page: number
  readonly pages: number
  readonly size: number
}

/** Returns the newer of the two headers. Transaction N writes header N mod 2, so their numbers differ by one. */
export function newestSnapshot(first: Snapshot, second: Snapshot): Snapshot {
  const distance = Math.abs(first.transaction - second.transaction)
  if (distance > 1 || first.pageSize !== second.pageSize) throw new FileDamaged('its two headers do not match')
  return first.transaction >= second.transaction ? first : second
}

export function readSnapshot(page: Buffer, number: 0 | 1): Snapshot {
  checkHeader(page, number, META)
  const meta = page.subarray(PAGE_HEADER)
  if (meta.readUInt32LE(0) !== MAGIC) throw new FileDamaged('it does not start with an LMDB header')
  const version = meta.readUInt16LE(4)
  if (version !== VERSION) throw new FileDamaged(`it has LMDB format ${version}, but only ${VERSION} is supported`)
  const pageSize = meta.readUInt32LE(24)
  const lastPage = readNumber(meta, 120)
  const transaction = readNumber(meta, 128)
  const plausible =
    readNumber(meta, 8) === 0 &&
    isPageSize(pageSize) &&
    readNumber(meta, 16) >= (lastPage + 1) * pageSize &&
    readNumber(meta, 16) <= MAX_MAP &&
    meta.readUInt16LE(28) === INTEGER_KEYS &&
    meta.readUInt32LE(72) === 0 &&
    meta.readUInt16LE(76) === 0 &&
    (transaction === 0 || transaction % 2 === number)
  if (!plausible) throw new FileDamaged(`header ${number} is invalid`)
  return { pageSize, lastPage, transaction, free: readTree(meta.subarray(24)), main: readTree(meta.subarray(72)) }
}

function isPageSize(size: number): boolean {
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0
}

function readTree(bytes: Buffer): Tree {
  return {
    depth: bytes.readUInt16LE(6),
    branchPages: readNumber(bytes, 8),
    leafPages: readNumber(bytes, 16),
    overflowPages: readNumber(bytes, 24),
    entries: readNumber(bytes, 32),
    root: bytes.readBigUInt64LE(40) === NO_PAGE ? undefined : readNumber(bytes, 40),
  }
}

/** Checks the number and the type of a page. */
export function checkHeader(page: Buffer, number: number, kind: number): void {
  if (readNumber(page, 0) !== number || page.readUInt16LE(16) !== 0 || page.readUInt16LE(18) !== kind) {
    throw new FileDamaged(`page ${number} has the wrong number or type`)
  }
}

/** Checks a tree page of a transaction, and returns its number of nodes. */
export function checkTreePage(page: Buffer, number: number, kind: number, transaction: number): number {
  checkHeader(page, number, kind)
  const lower = page.readUInt16LE(20)
  const upper = page.readUInt16LE(22)
  const plausible = lower > 0 && lower % 2 === 0 && lower <= upper && upper <= page.length - PAGE_HEADER
  if (!plausible || readNumber(page, 8) > transaction) throw new FileDamaged(`the header of page ${number} is invalid`)
  return lower >> 1
}

/** Returns where a node of a page starts. */
export function nodeStart(page: Buffer, number: number, index: number): number {
  const offset = page.readUInt16LE(PAGE_HEADER + 2 * index)
  const start = offset + PAGE_HEADER
  if (offset < page.readUInt16LE(22) || start + NODE_HEADER > page.length) {
    throw new FileDamaged(`a node starts outside page ${number}`)
  }
  return start
}

/** Returns the key of a node. The first node of a branch page may have none: it covers everything before the second. */
export function nodeKey(page: Buffer, number: number, node: number): Buffer | undefined {
  const size = page.readUInt16LE(node + 6)
  const isFirstOfBranch = size === 0 && page.readUInt16LE(18) === BRANCH && node === nodeStart(page, number, 0)
  if (isFirstOfBranch) return undefined
  const key = page.subarray(node + NODE_HEADER, node + NODE_HEADER + size)
  if (size !== KEY_SIZE || key.length !== KEY_SIZE) throw new FileDamaged(`a key in page ${number} has the wrong size`)
  return key
}

/** Returns the child page of a node in a branch page: 48 bits. */
export function nodeChild(page: Buffer, node: number): number {
  return page.readUIntLE(node, 6)
}

/** Returns the value of a node in a leaf page, or its location. */
export function nodeValue(page: Buffer, number: number, node: number): Buffer | Elsewhere {
  const size = page.readUInt32LE(node)
  const flags = page.readUInt16LE(node + 4)
  const start = node + NODE_HEADER + KEY_SIZE
  const end = start + (flags === IN_OVERFLOW_PAGES ? OVERFLOW_POINTER : size)
  if (end > page.length || (flags & ~IN_OVERFLOW_PAGES) !== 0) throw new FileDamaged(`a node exceeds page ${number}`)
  if (flags === 0) return page.subarray(start, end)
  return { page: readNumber(page, start), pages: readNumber(page, start + 16), size }
}

/** Returns the runs of free pages in a record of the free tree: (first page, count). */
export function* freeRuns(value: Buffer): Generator<readonly [number, number]> {
  const slots = value.length < 8 ? -1 : readNumber(value, 0)
  if (slots < 0 || 8 + 8 * slots > value.length) throw new FileDamaged('a list of free pages is truncated')
  // A negative number is the length of the run that starts at the next slot; zero is an empty slot.
  let length = 1
  for (let slot = 1; slot <= slots; slot++) {
    const number = Number(value.readBigInt64LE(8 * slot))
    if (number > 0) yield [number, length]
    length = number < 0 ? -number : 1
  }
}

function readNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 0x1_0000_0000
}
