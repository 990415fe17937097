import { createHash, randomInt } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readRecord, recordSizeLimit, writeRecord } from './record.js'
import type { Entry } from './types.js'

/**
 * A backup is one file:
 *
 *   a line of JSON (`BackupHeader`)
 *   for each object: revision u64, length u32 (both big-endian), and a record as in the log
 *   the SHA-256 of all of that, 32 bytes
 */
export interface BackupHeader {
  readonly format: 'orrery-backup/1'
  readonly cluster: string
  readonly revision: number
  readonly created: string
  readonly objects: number
}

/** The file is not a complete backup. */
export class BackupDamaged extends Error {
  constructor(file: string, why: string) {
    super(`${file} is not a usable backup: ${why}`)
    this.name = 'BackupDamaged'
  }
}

const FORMAT = 'orrery-backup/1'
const FRAME = 12
const DIGEST = 32
const CHUNK = 1024 * 1024
const MAX_HEADER = 4096
/** Far more than an object of the maximum size. A larger length is damage, and not worth reading the rest of the file for. */
const MAX_RECORD = 64 * 1024 * 1024

/** Writes a backup to a temporary file and renames it once it is complete and on disk. */
export async function writeBackup(
  file: string,
  about: Omit<BackupHeader, 'format' | 'objects'>,
  entries: readonly Entry[],
): Promise<void> {
  // Other users can create files in the directory if it is shared, such as /tmp: they must not know the name.
  const partial = `${file}.partial-${randomInt(2 ** 47)}`
  const handle = await open(partial, 'wx', 0o600)
  try {
    await writeContents(handle, { format: FORMAT, ...about, objects: entries.length }, entries)
    await handle.sync()
    await handle.close()
    await rename(partial, file)
    await syncDirectory(dirname(file))
  } catch (error) {
    await handle.close()
    await rm(partial, { force: true })
    throw error
  }
}

async function writeContents(handle: FileHandle, header: BackupHeader, entries: readonly Entry[]): Promise<void> {
  const hash = createHash('sha256')
  const write = async (bytes: Buffer) => {
    hash.update(bytes)
    await handle.writeFile(bytes)
  }
  await write(Buffer.from(`${JSON.stringify(header)}\n`))
  let chunk = Buffer.allocUnsafeSlow(CHUNK)
  let used = 0
  for (const entry of entries) {
    const record = { entry, remove: false }
    const space = FRAME + recordSizeLimit(record)
    if (used + space > chunk.length) {
      await write(chunk.subarray(0, used))
      if (space > chunk.length) chunk = Buffer.allocUnsafeSlow(space)
      used = 0
    }
    const end = writeRecord(record, chunk, used + FRAME)
    chunk.writeBigUInt64BE(BigInt(entry.revision), used)
    chunk.writeUInt32BE(end - used - FRAME, used + 8)
    used = end
  }
  await write(chunk.subarray(0, used))
  await handle.writeFile(hash.digest())
}

/** Reads and verifies a whole backup. Do not use any part of it before this returns. */
export async function readBackup(file: string): Promise<{ header: BackupHeader; entries: Entry[] }> {
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)
  let header: BackupHeader | undefined
  const entries: Entry[] = []
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
    rest = Buffer.concat([rest, chunk as Buffer])
    let at = 0
    if (header === undefined) {
      at = rest.indexOf(0x0a) + 1
      if (at === 0 && rest.length > MAX_HEADER) throw new BackupDamaged(file, 'it does not start with a backup header')
      if (at === 0) continue
      header = parseHeader(file, rest.subarray(0, at))
    }
    while (entries.length < header.objects && rest.length - at >= FRAME) {
      const length = rest.readUInt32BE(at + 8)
      if (length > MAX_RECORD) throw new BackupDamaged(file, `it has a record of ${length} bytes`)
      const end = at + FRAME + length
      if (rest.length < end) break
      entries.push(readEntry(file, Number(rest.readBigUInt64BE(at)), rest.subarray(at + FRAME, end)))
      at = end
    }
    hash.update(rest.subarray(0, at))
    rest = rest.subarray(at)
    if (entries.length >= header.objects && rest.length > DIGEST) throw new BackupDamaged(file, 'it is too long')
  }
  if (header === undefined || entries.length < header.objects) throw new BackupDamaged(file, 'it is truncated')
  if (rest.length !== DIGEST || !rest.equals(hash.digest()))
    throw new BackupDamaged(file, 'its checksum does not match')
  return { header, entries }
}

function readEntry(file: string, revision: number, data: Buffer): Entry {
  try {
    return readRecord(revision, data).entry
  } catch (error) {
    throw new BackupDamaged(file, (error as Error).message)
  }
}

function parseHeader(file: string, line: Buffer): BackupHeader {
  try {
    const header = JSON.parse(line.toString('utf8')) as BackupHeader
    if (header.format === FORMAT) return header
  } catch {
    throw new BackupDamaged(file, 'it does not start with a backup header')
  }
  throw new BackupDamaged(file, `its format is not ${FORMAT}`)
}

/** Flushes a directory: a rename is durable only after its directory is on disk. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
