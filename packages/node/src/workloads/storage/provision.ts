import type { Draft, Node, PersistentVolume, PersistentVolumeClaim, StorageClass } from '@orrery/kinds'
import { PROVISIONED_BY, PROVISIONER } from './names.js'

const HOSTNAME = 'kubernetes.io/hostname'

/** Returns a volume with its own directory for a claim, on the selected node, if any. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: Node | undefined,
  directory: string,
): Draft<PersistentVolume> {
  const { namespace, name, uid, resourceVersion } = claim.metadata
  const { accessModes = [], resources, volumeMode = 'Filesystem' } = claim.spec ?? {}
  const volume = `pvc-${uid}`
  const hostname = node?.metadata.labels?.[HOSTNAME]
  const matchExpressions = [{ key: HOSTNAME, operator: 'In' as const, values: [hostname ?? ''] }]
  return {
    metadata: { name: volume, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      capacity: { storage: resources?.requests?.storage ?? '0' },
      accessModes,
      volumeMode,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name,
      ...(storageClass.mountOptions !== undefined && { mountOptions: storageClass.mountOptions }),
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      hostPath: { path: `${directory}/${volume}`, type: 'DirectoryOrCreate' },
      ...(hostname !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }),
    },
  }
}
