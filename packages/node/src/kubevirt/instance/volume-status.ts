import type { PersistentVolumeClaim } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { VirtualMachineInstance, VolumeStatus } from '../kinds/instance.js'
import { isHotpluggable } from '../vm/revisions.js'
import { claimOf } from '../volumes.js'

/** Returns the state of the volumes of a guest: which device each is, and whether a hotplugged one is attached. */
export function volumeStatusesOf(
  { metadata: { namespace }, spec }: VirtualMachineInstance,
  claims: Informer<PersistentVolumeClaim>,
): VolumeStatus[] {
  const letters: Record<string, number> = {}
  return (spec.volumes ?? []).map((volume) => {
    const disk = spec.domain.devices.disks?.find(({ name }) => name === volume.name)
    const prefix = disk?.disk?.bus === 'virtio' ? 'vd' : 'sd'
    const index = letters[prefix] ?? 0
    letters[prefix] = index + 1
    const claimName = claimOf(volume)
    const claim = claimName === undefined ? undefined : claims.get({ namespace, name: claimName })
    const { accessModes, capacity } = claim?.status ?? {}
    const { volumeMode } = claim?.spec ?? {}
    const info = {
      claimName: claimName ?? '',
      ...(accessModes !== undefined && { accessModes: [...accessModes] }),
      ...(capacity !== undefined && { capacity: { ...capacity } }),
      ...(volumeMode !== undefined && { volumeMode }),
    }
    return {
      name: volume.name,
      target: `${prefix}${String.fromCharCode('a'.charCodeAt(0) + (index % 26))}`,
      ...(claim !== undefined && { persistentVolumeClaimInfo: info }),
      ...(isHotpluggable(volume) && {
        phase: claim?.status?.phase === 'Bound' ? 'Ready' : 'Pending',
        hotplugVolume: {},
      }),
    }
  })
}
