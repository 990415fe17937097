import type { JsonObject } from '@orrery/kinds'
import { isObject, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { MachineImageRegistry } from '../images/machine-image-registry.js'
import { hostnameOf } from '../instance/launcher-pod.js'
import { macOf } from '../instance/network.js'
import { guestMemory } from '../instance/resources.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { Disk, InstanceSpec, Volume } from '../kinds/instance-spec.js'
import { claimOf } from '../volumes.js'
import { configDrive, noCloudDisk, type ReadSecret } from './cloud-init.js'
import { type DiskPlan, type DiskSource, type KernelPlan, type MachinePlan, OnlyPlayed } from './plan.js'

/** What a plan needs besides the spec. */
export interface PlanSources {
  readonly images: MachineImageRegistry
  /** Returns the directory with the disk of a claim. Throws `OnlyPlayed` if it has none. */
  readonly claimDirectory: (namespace: string, claimName: string) => Promise<string>
  readonly secret: (namespace: string, name: string) => Promise<ReadonlyMap<string, Buffer>>
  readonly configMap: (namespace: string, name: string) => Promise<ReadonlyMap<string, Buffer>>
}

const BUSES: ReadonlySet<string> = new Set(['virtio', 'sata', 'scsi', 'usb'])
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MAC = /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i

/**
 * Returns the hardware of a real machine for an instance. Throws `OnlyPlayed` if this node cannot run it, and other errors if
 * something that it needs is missing.
 */
export async function planOf(instance: VirtualMachineInstance, sources: PlanSources): Promise<MachinePlan> {
  const { spec, metadata } = instance
  const { domain } = spec
  const { devices, firmware, cpu, features } = domain
  refuseUnsupported(spec)
  const volumes = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]))
  const disks: DiskPlan[] = []
  for (const disk of devices.disks ?? []) {
    const volume = volumes.get(disk.name)
    if (volume !== undefined) disks.push(await diskOf(disk, volume, instance, sources))
  }
  const uuid = firmware?.uuid ?? metadata.uid
  return {
    uuid: UUID.test(uuid) ? uuid : metadata.uid,
    cpu: { sockets: cpu?.sockets || 1, cores: cpu?.cores || 1, threads: cpu?.threads || 1 },
    memoryBytes: guestMemory(spec),
    disks,
    interfaces: (devices.interfaces ?? []).map(({ name, model = 'virtio', bootOrder, macAddress }) => ({
      model,
      mac: MAC.test(macAddress ?? '') ? (macAddress ?? '') : macOf(metadata.uid, name),
      bootOrder,
      isConnected: spec.networks?.find((network) => network.name === name)?.pod !== undefined,
    })),
    kernel: kernelOf(spec, sources.images),
    hasDisplay: devices.autoattachGraphicsDevice !== false,
    hasSerialConsole: devices.autoattachSerialConsole !== false,
    hasAcpi: features?.acpi?.enabled !== false,
    hasRandomness: devices.rng !== undefined,
    reportsPanic: (devices.panicDevices ?? []).length > 0,
    endsOnReboot: domain.rebootPolicy === 'Terminate',
    startsPaused: spec.startStrategy === 'Paused',
  }
}

function refuseUnsupported({ domain, architecture = 'amd64' }: InstanceSpec): void {
  const { devices, firmware, launchSecurity } = domain
  const bootloader = (firmware as JsonObject | undefined)?.bootloader
  if (architecture !== 'amd64') throw new OnlyPlayed(`spec.architecture ${architecture} is not supported, only amd64`)
  const given: readonly (readonly [string, boolean])[] = [
    ['firmware.bootloader.efi', isObject(bootloader) && bootloader.efi !== undefined],
    ['launchSecurity', launchSecurity !== undefined],
    ['devices.gpus', (devices.gpus ?? []).length > 0],
    ['devices.hostDevices', (devices.hostDevices ?? []).length > 0],
    ['devices.filesystems', (devices.filesystems ?? []).length > 0],
    ['devices.tpm', devices.tpm !== undefined],
  ]
  const found = given.find(([, isGiven]) => isGiven)
  if (found !== undefined) throw new OnlyPlayed(`spec.domain.${found[0]} is not supported`)
}

async function diskOf(
  disk: Disk,
  volume: Volume,
  instance: VirtualMachineInstance,
  sources: PlanSources,
): Promise<DiskPlan> {
  if (disk.lun !== undefined) throw new OnlyPlayed(`disk ${JSON.stringify(disk.name)}: lun is not supported`)
  const source = await sourceOf(volume, instance, sources)
  const { cdrom } = disk
  const given = cdrom === undefined ? disk.disk?.bus : isObject(cdrom) ? cdrom.bus : undefined
  const bus = typeof given === 'string' && BUSES.has(given) ? (given as DiskPlan['bus']) : 'sata'
  const isCdrom = cdrom !== undefined && bus !== 'virtio'
  const isReadOnly =
    cdrom !== undefined || disk.disk?.readonly === true || volume.persistentVolumeClaim?.readOnly === true
  if (isReadOnly && !isCdrom && bus === 'sata') {
    throw new OnlyPlayed(`disk ${JSON.stringify(disk.name)}: a read-only disk needs the bus virtio or scsi`)
  }
  const { name, bootOrder, serial } = disk
  return { name, kind: isCdrom ? 'cdrom' : 'disk', bus, isReadOnly, bootOrder, serial, source }
}

async function sourceOf(volume: Volume, instance: VirtualMachineInstance, sources: PlanSources): Promise<DiskSource> {
  const { namespace, name } = instance.metadata
  const { containerDisk, cloudInitNoCloud, cloudInitConfigDrive, emptyDisk, ephemeral } = volume
  if (containerDisk !== undefined) {
    const { disk } = sources.images.find(containerDisk.image) ?? {}
    if (disk !== undefined) return { type: 'image', file: disk }
    throw new OnlyPlayed(`no disk is registered for the container disk ${JSON.stringify(containerDisk.image)}`)
  }
  const claimName = claimOf(volume)
  if (claimName !== undefined) {
    const directory = await sources.claimDirectory(namespace, claimName)
    return { type: 'claim', directory, isEphemeral: ephemeral !== undefined }
  }
  if (emptyDisk !== undefined) return { type: 'empty', bytes: capacityOf(emptyDisk as JsonObject, volume.name) }
  const readSecret: ReadSecret = (secret) => sources.secret(namespace, secret)
  if (cloudInitNoCloud !== undefined || cloudInitConfigDrive !== undefined) {
    const method = cloudInitNoCloud === undefined ? 'configDrive' : 'noCloud'
    const guest = {
      name,
      namespace,
      hostname: hostnameOf(instance),
      sshKeys: await sshKeysOf(instance.spec, method, readSecret),
    }
    const source = (cloudInitNoCloud ?? cloudInitConfigDrive) as JsonObject
    const make = method === 'noCloud' ? noCloudDisk : configDrive
    return { type: 'files', ...(await make(source, guest, readSecret)) }
  }
  const { secret, configMap } = volume as { readonly secret?: unknown; readonly configMap?: unknown }
  if (isObject(secret) && typeof secret.secretName === 'string') {
    return { type: 'files', label: labelOf(secret), files: await sources.secret(namespace, secret.secretName) }
  }
  if (isObject(configMap) && typeof configMap.name === 'string') {
    return { type: 'files', label: labelOf(configMap), files: await sources.configMap(namespace, configMap.name) }
  }
  const kind = Object.keys(volume).find((key) => key !== 'name')
  throw new OnlyPlayed(`volume ${JSON.stringify(volume.name)}: ${kind} is not supported`)
}

function labelOf({ volumeLabel }: Readonly<Record<string, unknown>>): string {
  return typeof volumeLabel === 'string' ? volumeLabel : 'cfgdata'
}

function capacityOf({ capacity }: JsonObject, name: string): number {
  const bytes = Math.ceil(quantityToNumber(parseQuantity(String(capacity))) / 512) * 512
  if (bytes > 0) return bytes
  throw new Error(`volume ${JSON.stringify(name)}: emptyDisk.capacity must be more than 0`)
}

/** Returns the public SSH keys that cloud-init passes to the guest. */
async function sshKeysOf(
  { accessCredentials = [] }: InstanceSpec,
  method: 'noCloud' | 'configDrive',
  readSecret: ReadSecret,
): Promise<string[]> {
  const keys: string[] = []
  for (const one of accessCredentials) {
    const { sshPublicKey } = one as { readonly sshPublicKey?: JsonObject }
    const { propagationMethod, source } = sshPublicKey ?? {}
    const secret = isObject(source) && isObject(source.secret) ? source.secret.secretName : undefined
    if (!isObject(propagationMethod) || propagationMethod[method] === undefined || typeof secret !== 'string') continue
    for (const value of (await readSecret(secret)).values()) {
      keys.push(
        ...value
          .toString('utf8')
          .split('\n')
          .filter((line) => line.trim() !== ''),
      )
    }
  }
  return keys
}

function kernelOf({ domain }: InstanceSpec, images: MachineImageRegistry): KernelPlan | undefined {
  const { kernelBoot } = (domain.firmware ?? {}) as { readonly kernelBoot?: JsonObject }
  const { container, kernelArgs } = kernelBoot ?? {}
  if (!isObject(container)) return undefined
  const { image, kernelPath, initrdPath } = container
  const { files = {} } = images.find(String(image)) ?? {}
  const fileAt = (path: unknown): string | undefined => {
    if (typeof path !== 'string' || path === '') return undefined
    const file = Object.hasOwn(files, path) ? files[path] : undefined
    if (file !== undefined) return file
    throw new OnlyPlayed(`no file is registered for ${path} in the image ${JSON.stringify(image)} of kernelBoot`)
  }
  const kernel = fileAt(kernelPath)
  if (kernel === undefined) throw new OnlyPlayed('spec.domain.firmware.kernelBoot.container has no kernelPath')
  return { kernel, initrd: fileAt(initrdPath), args: typeof kernelArgs === 'string' ? kernelArgs : '' }
}
