import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const HEADER = 24

/** The bytes of a store's file that the last durable transaction accounts for: what lies beyond was never promised. */
export function durableSize(dataDirectory: string): number {
  const descriptor = openSync(dataFileOf(dataDirectory), 'r')
  try {
    const newest = [0, 1]
      .map((number) => readHeader(descriptor, number))
      .reduce((a, b) => (a.transaction > b.transaction ? a : b))
    return (newest.lastPage + 1) * newest.pageSize
  } finally {
    closeSync(descriptor)
  }
}

export function dataFileOf(dataDirectory: string): string {
  return join(dataDirectory, 'store', 'data.mdb')
}

/** What a power cut does to a write under way: the file ends early, or holds something that was never written. */
export function tearTail(dataDirectory: string, how: 'cut' | 'garbage' | 'zeros'): void {
  const durable = durableSize(dataDirectory)
  const descriptor = openSync(dataFileOf(dataDirectory), 'r+')
  try {
    if (how === 'cut') ftruncateSync(descriptor, durable)
    else {
      const length = Math.max(fstatSync(descriptor).size - durable, 64 * 1024)
      writeSync(descriptor, Buffer.alloc(length, how === 'zeros' ? 0 : 0xa5), 0, length, durable)
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Header pages name the page size, the last page and their transaction (LMDB's format, 64-bit). */
function readHeader(descriptor: number, number: number) {
  const bytes = Buffer.alloc(HEADER + 144)
  // The page size stands in the first header; 4096 is what this platform has.
  readSync(descriptor, bytes, 0, bytes.length, number * 4096)
  return {
    pageSize: bytes.readUInt32LE(HEADER + 24),
    lastPage: Number(bytes.readBigUInt64LE(HEADER + 120)),
    transaction: Number(bytes.readBigUInt64LE(HEADER + 128)),
  }
}
