import { randomUUID } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { open, realpath, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Isolation } from '../../kubelet/isolation/isolation.js'
import { inspectImage } from './disk-image.js'
import { DISK_NAME } from './machine-files.js'
import { QemuSite } from './site.js'

/** A volume that is filled. */
export interface VolumeTarget {
  /** The directory of the volume. */
  readonly place: string
  /** The size of the disk. */
  readonly bytes: number
  /** An empty directory that only the node uses. */
  readonly workDirectory: string
  /** The converter of disk images, if it is installed. */
  readonly converter: string | undefined
  readonly isolation: Isolation | undefined
  readonly signal: AbortSignal
  /** Called with the share of the data that is there. */
  readonly progress: (share: number) => void
}

/** Images can be larger than their disk by the tables of their format. */
const IMAGE_OVERHEAD = 64 * 1024 * 1024
const GZIP = Buffer.from([0x1f, 0x8b])
const XZ = Buffer.from('\xfd7zXZ', 'latin1')
const MAX_OUTPUT = 1_024
const BLOCK = 1024 * 1024

/** Writes an empty disk. */
export async function fillBlank(target: VolumeTarget): Promise<void> {
  const disk = join(target.workDirectory, DISK_NAME)
  await writeFile(disk, '', { mode: 0o600 })
  await moveIn(target, disk)
}

/** Downloads a disk image and converts it to a raw disk. */
export async function fillFromHttp(target: VolumeTarget, url: string): Promise<void> {
  const { workDirectory, bytes, signal, progress } = target
  const response = await fetch(url, { signal, redirect: 'follow' })
  if (!response.ok || response.body === null) {
    throw new Error(`Unable to process data: expected status code 200, got ${response.status} from ${url}`)
  }
  const expected = Number(response.headers.get('content-length') ?? 0)
  const download = join(workDirectory, 'download')
  const limit = bytes + IMAGE_OVERHEAD
  let received = 0
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      received += piece.length
      if (expected > 0) progress(Math.min(1, received / expected))
      done(null, piece)
    },
  })
  const source = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0])
  await pipeline(source, counted, limited(limit), createWriteStream(download, { mode: 0o600 }), { signal })
  await unpack(download, limit, signal)
  await fillFromImage(target, download)
}

/** Decompresses a file in place if it is compressed. */
async function unpack(file: string, limit: number, signal: AbortSignal): Promise<void> {
  const start = Buffer.alloc(XZ.length)
  const handle = await open(file, 'r')
  await handle.read(start, 0, start.length, 0)
  await handle.close()
  if (start.equals(XZ)) throw new Error('The image is compressed with xz: decompress it, or use gzip')
  if (!start.subarray(0, GZIP.length).equals(GZIP)) return
  const plain = `${file}.plain`
  const output = createWriteStream(plain, { mode: 0o600 })
  await pipeline(createReadStream(file), createGunzip(), limited(limit), output, { signal })
  await rename(plain, file)
}

/** Fails a stream with more bytes than the volume can have. */
function limited(limit: number): Transform {
  let bytes = 0
  return new Transform({
    transform(piece: Buffer, _, done) {
      bytes += piece.length
      if (bytes > limit) done(new Error('The image is larger than the volume: request more storage'))
      else done(null, piece)
    },
  })
}

/** Writes the disk of an image, which is raw or qcow2. */
export async function fillFromImage(target: VolumeTarget, image: string): Promise<void> {
  const { bytes, workDirectory, signal } = target
  const found = await inspectImage(image)
  if (found.bytes > bytes) {
    throw new Error(`The disk of the image has ${found.bytes} bytes, more than the ${bytes} of the volume`)
  }
  if (found.format === 'qcow2') return moveIn(target, await convert(target, image))
  const disk = join(workDirectory, DISK_NAME)
  await copySparse(await realpath(image), disk, signal)
  await moveIn(target, disk)
}

/** Copies the disk of another volume. A larger one stays as large as it is. */
export async function fillFromDisk(target: VolumeTarget, source: string): Promise<void> {
  const disk = join(target.workDirectory, DISK_NAME)
  const size = await copySparse(source, disk, target.signal)
  await moveIn({ ...target, bytes: Math.max(size, target.bytes) }, disk)
}

/** Copies a file without writing blocks of zeros, and without following a link. Returns its size. */
async function copySparse(from: string, to: string, signal: AbortSignal): Promise<number> {
  const source = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const target = await open(to, 'wx', 0o600)
    try {
      const block = Buffer.alloc(BLOCK)
      const zeros = Buffer.alloc(BLOCK)
      let position = 0
      for (;;) {
        signal.throwIfAborted()
        const { bytesRead } = await source.read(block, 0, BLOCK, position)
        if (bytesRead === 0) break
        const piece = block.subarray(0, bytesRead)
        if (!piece.equals(zeros.subarray(0, bytesRead))) await target.write(piece, 0, bytesRead, position)
        position += bytesRead
      }
      await target.truncate(position)
      return position
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/**
 * Moves a finished disk into the volume. Pods can mount the volume meanwhile and write links, so that the node only renames
 * there, or creates a file of a new name.
 */
async function moveIn({ place, bytes, signal }: VolumeTarget, disk: string): Promise<void> {
  await truncate(disk, bytes)
  const target = join(place, DISK_NAME)
  try {
    await rename(disk, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    const beside = `${target}.${randomUUID()}`
    await copySparse(disk, beside, signal)
    await rename(beside, target)
  }
}

/** Converts a qcow2 image in a sandbox, since users choose it. The converter sees nothing else. */
async function convert(target: VolumeTarget, image: string): Promise<string> {
  const { workDirectory, converter, isolation, signal } = target
  if (converter === undefined) throw new Error('qcow2 images need qemu-img, which is not installed: install qemu-utils')
  const shared = [{ source: await realpath(image), isFile: true, isReadOnly: true }]
  const site = await QemuSite.make({ isolation, directory: workDirectory, hostname: 'convert', shared, devices: [] })
  let output = ''
  const command = [converter, 'convert', '-f', 'qcow2', '-O', 'raw', site.placeOf(0), DISK_NAME]
  const process = await site.start(command, (_, piece) => {
    output = `${output}${piece.toString('utf8')}`.slice(-MAX_OUTPUT)
    return undefined
  })
  const kill = () => process.kill('SIGKILL')
  signal.addEventListener('abort', kill)
  const { exitCode } = await process.ended
  signal.removeEventListener('abort', kill)
  signal.throwIfAborted()
  if (exitCode !== 0) throw new Error(`qemu-img failed: ${output.trim().split('\n').at(-1)}`)
  return join(site.directory, DISK_NAME)
}
