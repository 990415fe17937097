import { type ManagedCluster, SEALING_KEY_ANNOTATION } from '@orrery/api'
import type { EmbeddedObject } from '@orrery/api/schema'
import { SealError, sealManifest } from '@orrery/kube/seal'

/**
 * Seals the values of Secrets in manifests, so that only the agent of the cluster can read them. Throws a `SealError`
 * if the agent has not published a sealing key: it could not apply them.
 */
export function sealForCluster(manifests: readonly EmbeddedObject[], cluster: ManagedCluster): EmbeddedObject[] {
  const { name, annotations } = cluster.metadata
  const publicKey = annotations?.[SEALING_KEY_ANNOTATION]
  if (publicKey === undefined) {
    throw new SealError(`cluster ${name} has no key to seal to: its agent has put none into ${SEALING_KEY_ANNOTATION}`)
  }
  return manifests.map((manifest) => sealManifest(manifest, { cluster: name, publicKey }))
}
