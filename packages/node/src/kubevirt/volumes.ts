import type { PersistentVolumeClaim } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import type { DataVolume } from './kinds/data-volume.js'
import type { InstanceSpec, Volume } from './kinds/instance-spec.js'

/** Returns the claim that a volume uses. The claim of a DataVolume has its name. */
export function claimOf({ dataVolume, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return dataVolume?.name ?? persistentVolumeClaim?.claimName ?? ephemeral?.persistentVolumeClaim?.claimName
}

export function claimNames({ volumes = [] }: Pick<InstanceSpec, 'volumes'>): string[] {
  return volumes.flatMap((volume) => claimOf(volume) ?? [])
}

/** Returns the DataVolumes of the volumes that exist. */
export function dataVolumesOf(
  { volumes = [] }: Pick<InstanceSpec, 'volumes'>,
  namespace: string,
  informer: Informer<DataVolume>,
): DataVolume[] {
  return volumes.flatMap(({ dataVolume }) =>
    dataVolume === undefined ? [] : (informer.get({ namespace, name: dataVolume.name }) ?? []),
  )
}

/** Returns whether a claim exists and is not bound. */
export function hasUnboundClaim(
  spec: Pick<InstanceSpec, 'volumes'>,
  namespace: string,
  claims: Informer<PersistentVolumeClaim>,
): boolean {
  return claimNames(spec).some((name) => {
    const claim = claims.get({ namespace, name })
    return claim !== undefined && claim.status?.phase !== 'Bound'
  })
}
