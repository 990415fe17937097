import type { JsonObject } from '@orrery/kinds'
import { badRequest, isObject } from '@orrery/kinds/values'
import type { Disk, InstanceSpec, Volume } from '../kinds/instance-spec.js'
import { isHotpluggable } from '../vm/revisions.js'
import { claimOf } from '../volumes.js'

/** Returns the change of a spec that adds a volume; an Error tells why it cannot be added. */
export type VolumeChange = (spec: InstanceSpec) => InstanceSpec | Error

/** Returns the volume that the options of `addvolume` describe. */
export function addedVolume(options: JsonObject): VolumeChange {
  const { name, disk, volumeSource } = options
  if (typeof name !== 'string' || name === '') throw badRequest('AddVolumeOptions requires name to be set')
  if (!isObject(disk)) throw badRequest('AddVolumeOptions requires disk to not be nil')
  if (!isObject(volumeSource)) throw badRequest('AddVolumeOptions requires VolumeSource to not be nil')
  const { dataVolume, persistentVolumeClaim } = volumeSource as Partial<Volume>
  if ((dataVolume === undefined) === (persistentVolumeClaim === undefined)) {
    throw badRequest('volumeSource must have exactly one of dataVolume and persistentVolumeClaim')
  }
  const volume: Volume = {
    name,
    ...(dataVolume !== undefined && { dataVolume: { ...dataVolume, hotpluggable: true } }),
    ...(persistentVolumeClaim !== undefined && {
      persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true },
    }),
  }
  const claim = claimOf(volume)
  if (claim === undefined || claim === '') throw badRequest('volumeSource requires the name of its claim')
  const added: Disk = { ...(disk as Partial<Disk>), name }
  return (spec) => {
    const volumes = spec.volumes ?? []
    if (volumes.some((known) => known.name === name)) {
      return new Error(`Unable to add volume [${name}] because volume with that name already exists`)
    }
    if (volumes.some((known) => claimOf(known) === claim)) {
      return new Error(`Unable to add volume source [${claim}] because it already exists`)
    }
    return withVolumes(spec, [...volumes, volume], [...(spec.domain.devices.disks ?? []), added])
  }
}

/** Returns the change that the options of `removevolume` describe. */
export function removedVolume({ name }: JsonObject): VolumeChange {
  if (typeof name !== 'string' || name === '') throw badRequest('RemoveVolumeOptions requires name to be set')
  return (spec) => {
    const volumes = spec.volumes ?? []
    const found = volumes.find((known) => known.name === name || claimOf(known) === name)
    if (found === undefined) return new Error(`Unable to remove volume [${name}] because it does not exist`)
    if (!isHotpluggable(found)) {
      return new Error(`Unable to remove volume [${found.name}] because it is not hotpluggable`)
    }
    const { disks = [] } = spec.domain.devices
    return withVolumes(
      spec,
      volumes.filter((known) => known !== found),
      disks.filter((disk) => disk.name !== found.name),
    )
  }
}

function withVolumes(spec: InstanceSpec, volumes: readonly Volume[], disks: readonly Disk[]): InstanceSpec {
  return { ...spec, volumes, domain: { ...spec.domain, devices: { ...spec.domain.devices, disks } } }
}
