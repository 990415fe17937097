import { open } from 'node:fs/promises'

/** What the first bytes of a disk image tell. */
export interface DiskImage {
  readonly format: 'raw' | 'qcow2'
  /** The size of the disk that the guest sees. */
  readonly bytes: number
}

const QCOW2 = Buffer.from('QFI\xfb', 'latin1')
const HEADER = 104
/** The bit of qcow2's incompatible features for data in another file. */
const EXTERNAL_DATA = 4n
const BLOCK = 512
const CLUSTER_BITS = 16
const CLUSTER = 1 << CLUSTER_BITS

/** Images that need a conversion first. Without this check they would be disks full of unreadable data. */
const OTHERS: readonly (readonly [string, string])[] = [
  ['KDMV', 'vmdk'],
  ['conectix', 'vpc'],
  ['vhdxfile', 'vhdx'],
  ['<<< ', 'vdi'],
]

/**
 * Reads the format of a disk image. Throws an error if it is one that names other files of the machine, as a qcow2 image
 * with a backing file or an external data file does: its guest could read them.
 */
export async function inspectImage(file: string): Promise<DiskImage> {
  const handle = await open(file, 'r')
  try {
    const header = Buffer.alloc(HEADER)
    await handle.read(header, 0, HEADER, 0)
    const { size } = await handle.stat()
    const other = OTHERS.find(([magic]) => header.indexOf(magic) === 0)
    if (other !== undefined) {
      throw new Error(`is a ${other[1]} image: convert it with qemu-img convert -O qcow2`)
    }
    if (!header.subarray(0, QCOW2.length).equals(QCOW2)) {
      return { format: 'raw', bytes: Math.ceil(size / BLOCK) * BLOCK }
    }
    const version = header.readUInt32BE(4)
    if (header.readBigUInt64BE(8) !== 0n) {
      throw new Error('has a backing file: flatten it with qemu-img convert -O qcow2')
    }
    if (version >= 3 && (header.readBigUInt64BE(72) & EXTERNAL_DATA) !== 0n) {
      throw new Error('has an external data file: convert it with qemu-img convert -O qcow2')
    }
    return { format: 'qcow2', bytes: Number(header.readBigUInt64BE(24)) }
  } finally {
    await handle.close()
  }
}

/**
 * Returns an empty qcow2 image of a size (qcow2 version 3). It names no backing file: that is an argument of QEMU. The
 * clusters are the header, the table of reference counts, one block of these, and the first-level table.
 */
export function emptyOverlay(bytes: number): Buffer {
  const perEntry = CLUSTER * (CLUSTER / 8)
  const entries = Math.ceil(bytes / perEntry)
  if (entries * 8 > CLUSTER) throw new RangeError(`a disk of ${bytes} bytes is too large`)
  const image = Buffer.alloc(4 * CLUSTER)
  QCOW2.copy(image, 0)
  image.writeUInt32BE(3, 4)
  image.writeUInt32BE(CLUSTER_BITS, 20)
  image.writeBigUInt64BE(BigInt(bytes), 24)
  image.writeUInt32BE(entries, 36)
  image.writeBigUInt64BE(BigInt(3 * CLUSTER), 40)
  image.writeBigUInt64BE(BigInt(CLUSTER), 48)
  image.writeUInt32BE(1, 56)
  // Reference counts of 16 bits.
  image.writeUInt32BE(4, 96)
  image.writeUInt32BE(HEADER, 100)
  image.writeBigUInt64BE(BigInt(2 * CLUSTER), CLUSTER)
  for (let cluster = 0; cluster < 4; cluster++) image.writeUInt16BE(1, 2 * CLUSTER + 2 * cluster)
  return image
}
