import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@orrery/kinds'
import { CLASS_ANNOTATION } from './names.js'

/** Returns the storage class of a claim; empty for none. */
export function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? ''
}

/** Returns whether a class has `volumeBindingMode: WaitForFirstConsumer`. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer'
}

export function isBound({ spec, status }: PersistentVolumeClaim): boolean {
  return (spec?.volumeName ?? '') !== '' && status?.phase === 'Bound'
}

/** Returns whether a volume is reserved for a claim, and not for an earlier claim of the same name. */
export function isFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { namespace, name, uid = '' } = spec?.claimRef ?? {}
  return namespace === metadata.namespace && name === metadata.name && (uid === '' || uid === metadata.uid)
}
