import { PersistentVolume, PersistentVolumeClaim, type PersistentVolumePhase } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, writeStatus } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isFor } from './claim.js'
import { PROVISIONED_BY, PROVISIONER } from './names.js'

/** Sets the phase of each PersistentVolume, and deletes released volumes with the reclaim policy `Delete`. */
export function volumeReclaimer(context: WorkloadContext): ControllerSpec {
  const claims = context.informers.of(PersistentVolumeClaim)
  const volumes = context.informers.of(PersistentVolume)

  const phaseOf = (volume: PersistentVolume): PersistentVolumePhase => {
    const { claimRef } = volume.spec ?? {}
    // A volume that is reserved for a claim without a UID is available for it.
    if (claimRef?.uid === undefined || claimRef.name === undefined) return 'Available'
    const claim = claims.get({ namespace: claimRef.namespace, name: claimRef.name })
    if (claim === undefined || !isFor(volume, claim)) return 'Released'
    return volume.status?.phase ?? 'Available'
  }

  return {
    name: 'persistentvolume-reclaimer',
    wakes: [each(volumes), each(claims, ({ spec }) => ({ name: spec?.volumeName ?? '' }))],
    concurrency: 5,
    async reconcile({ name }, { client, clock, signal }) {
      const volume = volumes.get({ name })
      if (volume === undefined) return
      const phase = phaseOf(volume)
      if (phase !== volume.status?.phase) {
        // The informer may not show a new claim yet, so the server is asked.
        if (phase === 'Released' && (await isClaimed(volume, context, signal))) return
        const status = { phase, lastPhaseTransitionTime: formatTime(clock.now()) }
        await writeStatus(client, PersistentVolume, volume, () => status, { signal })
      }
      // A volume that is being deleted is removed after its release anyway.
      const isOurs = !isBeingDeleted(volume) && volume.metadata.annotations?.[PROVISIONED_BY] === PROVISIONER
      if (phase === 'Released' && isOurs && volume.spec?.persistentVolumeReclaimPolicy === 'Delete') {
        await client.ensureDeleted(PersistentVolume, { name }, { preconditions: { uid: volume.metadata.uid }, signal })
      }
    },
  }
}

async function isClaimed(volume: PersistentVolume, { client }: WorkloadContext, signal: AbortSignal): Promise<boolean> {
  const { namespace, name = '' } = volume.spec?.claimRef ?? {}
  const claim = await client.find(PersistentVolumeClaim, { namespace, name }, { signal })
  return claim !== undefined && isFor(volume, claim)
}
