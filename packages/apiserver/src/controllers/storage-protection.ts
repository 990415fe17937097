import type { KubeObject } from '@orrery/kinds'
import { keyOf, refOf } from '@orrery/kinds/values'
import { PROTECTION_FINALIZERS } from '../admission-plugins/storage-objects.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'

const PODS = { group: '', resource: 'pods' }
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' }
const VOLUMES = { group: '', resource: 'persistentvolumes' }
const CLAIM_FINALIZER = PROTECTION_FINALIZERS.get('persistentvolumeclaims') ?? ''
const VOLUME_FINALIZER = PROTECTION_FINALIZERS.get('persistentvolumes') ?? ''

/** Removes the finalizer of a deleted claim when no pod uses it (pvc-protection). */
export function claimProtection(context: ControllerContext): Controller {
  const { client, store } = context
  const waiting = new Set<string>()
  return reconciler(context, {
    name: 'claim-protection',
    wakes: {
      persistentvolumeclaims: ({ type, entry }) =>
        type !== 'DELETED' && entry.bytes.includes('"deletionTimestamp"') ? keyOf(entry) : undefined,
      pods: ({ type, entry }) =>
        waiting.size === 0 || type === 'ADDED'
          ? undefined
          : [...waiting].filter((key) => key.startsWith(`${entry.namespace}/`)),
    },
    first: () => store.page({ bucket: 'persistentvolumeclaims', namespace: undefined }).entries.map(keyOf),
    async reconcile(key) {
      const { namespace = '', name } = refOf(key)
      const claim = client.get(CLAIMS, namespace, name)
      if (!isHeld(claim, CLAIM_FINALIZER)) {
        waiting.delete(key)
        return
      }
      await store.flushed()
      if (client.list(PODS, namespace).some((pod) => uses(pod, name))) {
        waiting.add(key)
        return
      }
      await client.change(CLAIMS, namespace, name, (live) => without(live, CLAIM_FINALIZER))
      waiting.delete(key)
    },
  })
}

/** Removes the finalizer of a deleted volume when it is not bound (pv-protection). */
export function volumeProtection(context: ControllerContext): Controller {
  const { client, store } = context
  return reconciler(context, {
    name: 'volume-protection',
    wakes: {
      persistentvolumes: ({ type, entry }) =>
        type !== 'DELETED' && entry.bytes.includes('"deletionTimestamp"') ? entry.name : undefined,
    },
    first: () => store.page({ bucket: 'persistentvolumes', namespace: '' }).entries.map(({ name }) => name),
    async reconcile(name) {
      const volume = client.get(VOLUMES, '', name)
      const isBound = (volume?.status as { phase?: string } | undefined)?.phase === 'Bound'
      if (!isHeld(volume, VOLUME_FINALIZER) || isBound) return
      await client.change(VOLUMES, '', name, (live) => without(live, VOLUME_FINALIZER))
    },
  })
}

function isHeld(object: KubeObject | undefined, finalizer: string): boolean {
  if (object?.metadata.deletionTimestamp === undefined) return false
  return (object.metadata.finalizers ?? []).includes(finalizer)
}

function without(live: KubeObject, finalizer: string): KubeObject {
  const finalizers = (live.metadata.finalizers ?? []).filter((other) => other !== finalizer)
  return { ...live, metadata: { ...live.metadata, finalizers } }
}

interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: object
}

/**
 * A finished pod uses nothing, and neither does one without a node, which gets none while its claim is being deleted. A
 * pod that is being deleted still uses its claim.
 */
function uses(pod: KubeObject, claim: string): boolean {
  const { phase } = (pod.status ?? {}) as { phase?: string }
  const { nodeName = '', volumes = [] } = (pod.spec ?? {}) as { nodeName?: string; volumes?: Volume[] }
  if (nodeName === '' || phase === 'Succeeded' || phase === 'Failed') return false
  return volumes.some(({ name, persistentVolumeClaim, ephemeral }) => {
    if (ephemeral !== undefined) return `${pod.metadata.name}-${name}` === claim
    return persistentVolumeClaim?.claimName === claim
  })
}
