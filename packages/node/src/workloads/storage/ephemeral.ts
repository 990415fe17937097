import { PersistentVolumeClaim, Pod, type Volume } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, ownerReferenceTo } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isActive } from '../podstate.js'

/** Returns the name of the claim of a pod's volume, if it has one. */
export function claimNameOf({ metadata }: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName
  return volume.ephemeral === undefined ? undefined : `${metadata.name}-${volume.name}`
}

/** The ephemeral volume controller: creates the claims of generic ephemeral volumes. */
export function ephemeralVolumes(context: WorkloadContext): ControllerSpec {
  const claims = context.informers.of(PersistentVolumeClaim)
  const { pods } = context
  return {
    name: 'ephemeral-volume',
    wakes: [each(pods, undefined, { when: ({ before }) => before === undefined }), each(claims, byPod)],
    concurrency: 5,
    async reconcile(ref, { client, signal }) {
      const pod = pods.get(ref)
      if (pod === undefined || !isActive(pod)) return
      for (const volume of pod.spec.volumes ?? []) {
        const template = volume.ephemeral?.volumeClaimTemplate
        const name = claimNameOf(pod, volume)
        if (template === undefined || name === undefined) continue
        const { namespace } = pod.metadata
        if (claims.get({ namespace, name }) !== undefined) continue
        const { labels, annotations } = template.metadata ?? {}
        const metadata = {
          namespace,
          name,
          ...(labels !== undefined && { labels }),
          ...(annotations !== undefined && { annotations }),
          ownerReferences: [ownerReferenceTo(pod, Pod, { controller: true })],
        }
        try {
          await client.create(PersistentVolumeClaim, { metadata, spec: template.spec }, { signal })
        } catch (error) {
          if (!isAlreadyExists(error)) throw error
        }
      }
    },
  }
}

function byPod({ metadata }: PersistentVolumeClaim) {
  const owner = metadata.ownerReferences?.find(({ kind, controller }) => kind === 'Pod' && controller === true)
  return owner && { namespace: metadata.namespace, name: owner.name }
}
