import { ManifestWork } from '@orrery/api'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'

/** Deletes works that are not being deleted yet. Throws the first failure after all were tried. */
export async function deleteWorks(
  client: KubeClient,
  works: readonly ManifestWork[],
  signal: AbortSignal,
): Promise<void> {
  const results = await Promise.allSettled(
    works
      .filter((work) => !isBeingDeleted(work))
      .map(({ metadata: { name, namespace, uid } }) =>
        client.ensureDeleted(ManifestWork, { name, namespace }, { preconditions: { uid }, signal }),
      ),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
