import type { Draft, PersistentVolumeClaim } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { DataVolume } from '../kinds/data-volume.js'

/** Returns the claim of a DataVolume. It has the same name. */
export function claimFor(dataVolume: DataVolume): Draft<PersistentVolumeClaim> {
  const { name, namespace, labels, annotations } = dataVolume.metadata
  const { storage, pvc, contentType = 'kubevirt' } = dataVolume.spec
  const wanted = storage ?? pvc ?? {}
  return {
    metadata: {
      name,
      namespace,
      labels: { ...labels, app: 'containerized-data-importer' },
      annotations: { ...withoutApplied(annotations), 'cdi.kubevirt.io/storage.contentType': contentType },
      ownerReferences: [ownerReferenceTo(dataVolume, DataVolume, { controller: true })],
    },
    spec: {
      ...(wanted as PersistentVolumeClaim['spec']),
      accessModes: (wanted.accessModes ?? ['ReadWriteOnce']) as ['ReadWriteOnce'],
    },
  }
}

/** The annotation of `kubectl apply` describes the DataVolume, not the claim. */
function withoutApplied(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...rest } = annotations
  return rest
}
