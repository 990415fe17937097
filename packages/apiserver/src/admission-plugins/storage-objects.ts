import type { KubeObject } from '@orrery/kinds'
import type { PersistentVolumeClaimSpec } from '@orrery/kinds/core'
import { compareQuantity, parseQuantity } from '@orrery/kinds/values'
import type { AdmissionPlugin } from '../admission/types.js'
import type { Store } from '../store/types.js'
import { refused } from './refused.js'

const CLAIMS = 'persistentvolumeclaims'
const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'

/** The finalizers that keep volumes and claims while they are in use. */
export const PROTECTION_FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['persistentvolumes', 'kubernetes.io/pv-protection'],
  [CLAIMS, 'kubernetes.io/pvc-protection'],
  ['volumeattributesclasses.storage.k8s.io', 'kubernetes.io/vac-protection'],
])

/** Adds protection finalizers to volumes and claims (StorageObjectInUseProtection). */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate({ operation, resource, subresource, object }) {
    const finalizer = PROTECTION_FINALIZERS.get(resource.storage.bucket)
    if (finalizer === undefined || subresource !== '' || operation !== 'CREATE' || object === undefined) return
    const { finalizers = [] } = object.metadata
    if (!finalizers.includes(finalizer))
      object.metadata = { ...object.metadata, finalizers: [...finalizers, finalizer] }
  },
}

/** Allows expansion of claims only if their storage class does (PersistentVolumeClaimResize). */
export function persistentVolumeClaimResize(store: Store): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    validate(request) {
      const { operation, resource, subresource, object, oldObject } = request
      if (resource.storage.bucket !== CLAIMS || subresource !== '' || operation !== 'UPDATE') return
      if (object === undefined || oldObject === undefined || !grows(object, oldObject)) return
      if ((oldObject.status as { phase?: string } | undefined)?.phase !== 'Bound') {
        throw refused(request, 'Only bound persistent volume claims can be expanded')
      }
      const name = classOf(object)
      const storageClass =
        name === '' || name !== classOf(oldObject) ? undefined : store.get('storageclasses.storage.k8s.io', '', name)
      if (storageClass?.object().allowVolumeExpansion === true) return
      throw refused(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    },
  }
}

function grows(claim: KubeObject, old: KubeObject): boolean {
  const size = (of: KubeObject) =>
    parseQuantity((of.spec as PersistentVolumeClaimSpec | undefined)?.resources?.requests?.storage ?? '0')
  return compareQuantity(size(claim), size(old)) > 0
}

function classOf(claim: KubeObject): string {
  return (
    claim.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] ??
    (claim.spec as PersistentVolumeClaimSpec | undefined)?.storageClassName ??
    ''
  )
}
