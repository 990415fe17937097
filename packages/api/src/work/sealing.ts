import { SealError, sealManifest } from '@orrery/kube/seal'
import type { ManagedCluster } from '../cluster/managed-cluster.js'
import { SEALING_KEY_ANNOTATION } from '../cluster/names.js'
import type { EmbeddedObject } from '../schema/index.js'

/**
 * Manifests whose Secrets nobody can read but the agent of the cluster they are for. Throws a `SealError` when the
 * cluster has no key, since it says so itself: an agent that does not could not apply them either.
 */
export function sealForCluster(manifests: readonly EmbeddedObject[], cluster: ManagedCluster): EmbeddedObject[] {
  const { name, annotations } = cluster.metadata
  const publicKey = annotations?.[SEALING_KEY_ANNOTATION]
  if (publicKey === undefined) {
    throw new SealError(`cluster ${name} has no key to seal to: its agent has put none into ${SEALING_KEY_ANNOTATION}`)
  }
  return manifests.map((manifest) => sealManifest(manifest, { cluster: name, publicKey }))
}
