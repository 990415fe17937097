import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const HEADER = 24

/** The size of a store's file as of the last durable transaction: the rest was never acknowledged. */
export function durableSize(dataDirectory: string): number {
  const descriptor = openSync(dataFileOf(dataDirectory), 'r')
  try {
    const first = readHeader(descriptor, 0)
    const second = readHeader(descriptor, first.pageSize)
    const newest = first.transaction > second.transaction ? first : second
    return (newest.lastPage + 1) * newest.pageSize
  } finally {
    closeSync(descriptor)
  }
}

export function dataFileOf(dataDirectory: string): string {
  return join(dataDirectory, 'store', 'data.mdb')
}

/** The effect of a power cut on a write: the file is truncated, or ends in garbage. */
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

/** A header page has the page size, the last page in use and its transaction (LMDB's format, 64-bit). */
function readHeader(descriptor: number, start: number) {
  const bytes = Buffer.alloc(HEADER + 144)
  readSync(descriptor, bytes, 0, bytes.length, start)
  return {
    pageSize: bytes.readUInt32LE(HEADER + 24),
    lastPage: Number(bytes.readBigUInt64LE(HEADER + 120)),
    transaction: Number(bytes.readBigUInt64LE(HEADER + 128)),
  }
}
