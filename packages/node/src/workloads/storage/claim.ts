import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@orrery/kinds'
import { CLASS_ANNOTATION } from './names.js'

/** The class a claim asks for; empty for one that asks for none. */
export function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? ''
}

/** Whether a class leaves the choice of the volume until a pod that uses it has a node. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
}

export function isBound({ spec, status }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? '') !== '' && status?.phase === 'Bound'
}

/** Whether a volume is set aside for a claim, and not for a former one of its name. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid = '' } = spec?.claimRef ?? {}
  return namespace === metadata.namespace && name === metadata.name && (uid === '' || uid === metadata.uid)
}
