import type { KubeObject } from '@orrery/kinds'
import type { AdmissionPlugin } from '../admission/types.js'
import type { Store } from '../store/types.js'

const STORAGE_CLASSES = 'storageclasses.storage.k8s.io'
const STORAGE_DEFAULT = 'storageclass.kubernetes.io/is-default-class'
const STORAGE_DEFAULT_BETA = 'storageclass.beta.kubernetes.io/is-default-class'
const STORAGE_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const INGRESS_CLASSES = 'ingressclasses.networking.k8s.io'
const INGRESS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class'
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

/** Sets the default storage class of claims without one (DefaultStorageClass). */
export function defaultStorageClass(store: Store): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate({ operation, resource, subresource, object }) {
      if (resource.storage.bucket !== 'persistentvolumeclaims' || subresource !== '' || operation !== 'CREATE') return
      if (object === undefined || object.metadata.annotations?.[STORAGE_CLASS_ANNOTATION] !== undefined) return
      const spec = (object.spec ?? {}) as { storageClassName?: string }
      if (spec.storageClassName !== undefined) return
      const storageClassName = newestDefault(store, STORAGE_CLASSES, [STORAGE_DEFAULT, STORAGE_DEFAULT_BETA])
      if (storageClassName !== undefined) object.spec = { ...spec, storageClassName }
    },
  }
}

/** Sets the default class of ingresses without one (DefaultIngressClass). */
export function defaultIngressClass(store: Store): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    mutate({ operation, resource, subresource, object }) {
      if (resource.storage.bucket !== 'ingresses.networking.k8s.io' || subresource !== '' || operation !== 'CREATE')
        return
      if (object === undefined || object.metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return
      const spec = (object.spec ?? {}) as { ingressClassName?: string }
      if (spec.ingressClassName !== undefined) return
      const ingressClassName = newestDefault(store, INGRESS_CLASSES, [INGRESS_DEFAULT])
      if (ingressClassName !== undefined) object.spec = { ...spec, ingressClassName }
    },
  }
}

/** Returns the newest default, and among those of the same time the first by name. */
function newestDefault(store: Store, bucket: string, annotations: readonly string[]): string | undefined {
  const isDefault = ({ metadata }: KubeObject) => annotations.some((name) => metadata.annotations?.[name] === 'true')
  const madeAt = ({ metadata }: KubeObject) => Date.parse(metadata.creationTimestamp ?? '')
  const [newest] = store
    .page({ bucket, namespace: '' })
    .entries.map((entry) => entry.object())
    .filter(isDefault)
    .sort((a, b) => madeAt(b) - madeAt(a))
  return newest?.metadata.name
}
