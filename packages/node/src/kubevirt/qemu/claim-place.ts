import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { PersistentVolume, PersistentVolumeClaim } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { NotMounted } from '../../kubelet/volumes/payload.js'
import { type PersistentDirectories, persistentPlace } from '../../kubelet/volumes/persistent-place.js'
import { DISK_NAME } from './machine-files.js'
import { OnlyPlayed } from './plan.js'

/** Returns the directory of a bound claim on this machine. Throws `OnlyPlayed` if it is not on this machine. */
export async function claimPlace(
  client: KubeClient,
  namespace: string,
  claimName: string,
  directories: PersistentDirectories,
): Promise<string> {
  const claim = await client.find(PersistentVolumeClaim, { namespace, name: claimName })
  const { volumeName = '' } = claim?.spec ?? {}
  const volume = await client.find(PersistentVolume, { name: volumeName })
  try {
    return await persistentPlace(claimName, volumeName, volume, directories)
  } catch (error) {
    throw error instanceof NotMounted ? new OnlyPlayed(error.message) : error
  }
}

/** Returns the disk in the directory of a claim. Throws `OnlyPlayed` if there is none. */
export async function claimDisk(place: string, claimName: string): Promise<string> {
  const disk = join(place, DISK_NAME)
  const found = await lstat(disk).catch(() => undefined)
  // A pod that mounts the claim can write a link, which could lead to any file of this machine.
  if (found?.isFile() === true) return disk
  throw new OnlyPlayed(`the claim ${JSON.stringify(claimName)} has no ${DISK_NAME}`)
}
