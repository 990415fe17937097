import { crc32 } from 'node:zlib'

/** What a log says about itself: the record of revision 0. On disk it is JSON after its CRC-32. */
export interface LogMeta {
  readonly format: 1
  /** A name for the data, made when it was first created. */
  readonly cluster: string
  /** History up to and including this revision is gone. */
  readonly compacted: number
  /** The newest revision at the time of writing, which compaction may have taken the record of. */
  readonly revision: number
}

export function writeMeta(meta: LogMeta): Buffer {
  const json = Buffer.from(JSON.stringify(meta))
  const data = Buffer.alloc(4 + json.length)
  data.writeUInt32LE(crc32(json), 0)
  json.copy(data, 4)
  return data
}

/** Undefined when the data is not what was written, or is of a format this version does not know. */
export function readMeta(data: Buffer): LogMeta | undefined {
  const json = data.subarray(4)
  if (data.length < 4 || data.readUInt32LE(0) !== crc32(json)) return undefined
  const meta = JSON.parse(json.toString('utf8')) as LogMeta
  return meta.format === 1 ? meta : undefined
}
