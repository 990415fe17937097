import { crc32 } from 'node:zlib'
import { StoredEntry } from './entry.js'
import type { Entry } from './types.js'

/**
 * One record of the log, as bytes:
 *
 *   0  checksum   u32   CRC-32 of the revision (8 bytes) and of everything after this field
 *   4  operation  u8    1 put, 2 remove
 *   5  lengths    3 × u16  of bucket, namespace and name
 * 11  bucket, namespace, name   UTF-8
 *      JSON       the rest
 */
const CHECKSUM_AT = 0
const OPERATION_AT = 4
const LENGTHS_AT = 5
const NAMES_AT = 11

const PUT = 1
const REMOVE = 2

/** The maximum length of names: their UTF-8 bytes fit the 16-bit length field. Kubernetes allows 253. */
export const MAX_NAME_LENGTH = Math.floor(0xffff / 3)

/** One write: a version of an object, or its last version if it is removed. */
export interface LogRecord {
  readonly entry: Entry
  readonly remove: boolean
}

/** The checksum of a record does not match. */
export class RecordDamaged extends Error {
  constructor(revision: number, why: string) {
    super(`the record of revision ${revision} is damaged: ${why}`)
    this.name = 'RecordDamaged'
  }
}

/** Returns an upper bound of the record size, which is cheap to compute. */
export function recordSizeLimit({ entry }: LogRecord): number {
  return NAMES_AT + 3 * (entry.bucket.length + entry.namespace.length + entry.name.length) + entry.bytes.length
}

/** Writes the record to `target` at `start`. Returns its end. */
export function writeRecord({ entry, remove }: LogRecord, target: Buffer, start: number): number {
  let at = start + NAMES_AT
  target[start + OPERATION_AT] = remove ? REMOVE : PUT
  at += writeName(entry.bucket, target, start + LENGTHS_AT, at)
  at += writeName(entry.namespace, target, start + LENGTHS_AT + 2, at)
  at += writeName(entry.name, target, start + LENGTHS_AT + 4, at)
  at += entry.bytes.copy(target, at)
  const checksum = checksumOf(entry.revision, target.subarray(start + OPERATION_AT, at))
  target.writeUInt32LE(checksum, start + CHECKSUM_AT)
  return at
}

/** How values that are read from a record are kept in memory. */
export interface Keeping {
  /** For strings that many records share. */
  text(text: string): string
  bytes(bytes: Buffer): Buffer
}

const AS_READ: Keeping = { text: (text) => text, bytes: (bytes) => bytes }

/** Reads a record. Unless `keeping` copies them, its bytes are a view into `data`. */
export function readRecord(revision: number, data: Buffer, keeping = AS_READ): LogRecord {
  if (data.length < NAMES_AT) throw new RecordDamaged(revision, `${data.length} bytes are too few`)
  if (data.readUInt32LE(CHECKSUM_AT) !== checksumOf(revision, data.subarray(OPERATION_AT))) {
    throw new RecordDamaged(revision, 'its checksum does not match')
  }
  const bucketEnd = NAMES_AT + data.readUInt16LE(LENGTHS_AT)
  const namespaceEnd = bucketEnd + data.readUInt16LE(LENGTHS_AT + 2)
  const nameEnd = namespaceEnd + data.readUInt16LE(LENGTHS_AT + 4)
  const bucket = keeping.text(data.toString('utf8', NAMES_AT, bucketEnd))
  const namespace = keeping.text(data.toString('utf8', bucketEnd, namespaceEnd))
  const name = data.toString('utf8', namespaceEnd, nameEnd)
  const entry = new StoredEntry(bucket, namespace, name, revision, keeping.bytes(data.subarray(nameEnd)))
  return { entry, remove: data[OPERATION_AT] === REMOVE }
}

const revisionBytes = Buffer.alloc(8)

function checksumOf(revision: number, rest: Buffer): number {
  writeRevision(revision, revisionBytes)
  return crc32(rest, crc32(revisionBytes))
}

/** Big-endian, so that keys sort by revision. */
export function writeRevision(revision: number, target: Buffer): void {
  target.writeUInt32BE(Math.floor(revision / 0x1_0000_0000), 0)
  target.writeUInt32BE(revision % 0x1_0000_0000, 4)
}

function writeName(name: string, target: Buffer, lengthAt: number, at: number): number {
  const length = target.write(name, at)
  target.writeUInt16LE(length, lengthAt)
  return length
}
