import { lstat, realpath, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskFile } from './arguments.js'
import { emptyOverlay, inspectImage } from './disk-image.js'
import { iso9660 } from './iso9660.js'
import type { DiskPlan, MachinePlan } from './plan.js'
import type { SharedFile } from './site.js'

/** The name of the disk in a volume, as in KubeVirt. It is always a raw image. */
export const DISK_NAME = 'disk.img'
const BLOCK = 512

/** Returns the files of this machine that a machine uses: one for each disk that has one, then the kernel's. */
export async function sharedFilesOf({ disks, kernel }: MachinePlan): Promise<SharedFile[]> {
  const shared: SharedFile[] = []
  for (const { source, isReadOnly } of disks) {
    if (source.type === 'image') shared.push(await fileOf(source.file))
    if (source.type === 'claim') {
      shared.push({ source: source.directory, isFile: false, isReadOnly: isReadOnly || source.isEphemeral })
    }
  }
  for (const file of [kernel?.kernel, kernel?.initrd]) if (file !== undefined) shared.push(await fileOf(file))
  return shared
}

async function fileOf(file: string): Promise<SharedFile> {
  return { source: await realpath(file), isFile: true, isReadOnly: true }
}

/**
 * Writes the files of the disks that only this machine has into a directory: overlays, empty disks and CD-ROMs. Returns
 * the file of each disk as QEMU sees it. `placeOf` returns the place of a shared file, in their order.
 */
export async function writeDisks(
  disks: readonly DiskPlan[],
  directory: string,
  placeOf: (index: number) => string,
): Promise<DiskFile[]> {
  let shared = 0
  const files: DiskFile[] = []
  for (const [index, { source }] of disks.entries()) {
    const name = `disk${index}`
    const file = join(directory, name)
    switch (source.type) {
      case 'image': {
        const { format, bytes } = await inspectImage(source.file)
        await writeFile(file, emptyOverlay(bytes), { mode: 0o600 })
        files.push({ path: name, format: 'qcow2', backing: { path: placeOf(shared++), format } })
        break
      }
      case 'claim': {
        const path = join(placeOf(shared++), DISK_NAME)
        if (!source.isEphemeral) {
          files.push({ path, format: 'raw' })
          break
        }
        await writeFile(file, emptyOverlay(await rawBytes(join(source.directory, DISK_NAME))), { mode: 0o600 })
        files.push({ path: name, format: 'qcow2', backing: { path, format: 'raw' } })
        break
      }
      case 'empty':
        await writeFile(file, '', { mode: 0o600 })
        await truncate(file, source.bytes)
        files.push({ path: name, format: 'raw' })
        break
      case 'files':
        await writeFile(file, iso9660(source.label, source.files), { mode: 0o600 })
        files.push({ path: name, format: 'raw' })
        break
    }
  }
  return files
}

async function rawBytes(file: string): Promise<number> {
  const { size } = await lstat(file)
  return Math.ceil(size / BLOCK) * BLOCK
}
