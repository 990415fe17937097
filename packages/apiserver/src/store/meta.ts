import { crc32 } from 'node:zlib'

/** The metadata of a log: the record of revision 0. On disk it is JSON after its CRC-32. */
export interface LogMeta {
  readonly format: 1
  /** The ID of the data, generated when the store was created. */
  readonly cluster: string
  /** History up to and including this revision is compacted. */
  readonly compacted: number
  /** The newest revision at the time of writing. Compaction may have removed its record. */
  readonly revision: number
}

export function writeMeta(meta: LogMeta): Buffer {
  const json = Buffer.from(JSON.stringify(meta))
  const data = Buffer.alloc(4 + json.length)
  data.writeUInt32LE(crc32(json), 0)
  json.copy(data, 4)
  return data
}

/** Returns undefined if the data is damaged or has an unknown format. */
export function readMeta(data: Buffer): LogMeta | undefined {
  const json = data.subarray(4)
  if (data.length < 4 || data.readUInt32LE(0) !== crc32(json)) return undefined
  const meta = JSON.parse(json.toString('utf8')) as LogMeta
  return meta.format === 1 ? meta : undefined
}
