import { ManifestWork, PART_ANNOTATION, partsSelector } from '@orrery/api'
import type { Informers, KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { watchOne } from '@orrery/kube/informer'

/** The work of a name, or its parts. Empty if it does not exist. */
export async function partsOfWork(
  client: KubeClient,
  cluster: string,
  name: string,
  call: CallOptions = {},
): Promise<ManifestWork[]> {
  const [whole, parts] = await Promise.all([
    client.find(ManifestWork, { namespace: cluster, name }, call),
    client.list(ManifestWork, { ...call, namespace: cluster, labelSelector: partsSelector(name) }),
  ])
  return merged(whole, parts.items)
}

/** Watches the parts of a work. */
export function watchParts(
  informers: Informers,
  cluster: string,
  name: string,
  onChange: () => void,
): () => ManifestWork[] {
  const wholeNow = watchOne(informers, ManifestWork, { namespace: cluster, name }, onChange)
  const parts = informers.of(ManifestWork, { namespace: cluster, labelSelector: partsSelector(name) })
  parts.subscribe(onChange)
  return () => merged(wholeNow(), parts.list())
}

/** A work that is not split is its own first part. */
function merged(whole: ManifestWork | undefined, parts: readonly ManifestWork[]): ManifestWork[] {
  const others = parts.filter(({ metadata }) => metadata.name !== whole?.metadata.name)
  return whole === undefined ? others : [whole, ...others]
}

/** Whether all parts of a work exist. */
export function areAllThere(parts: readonly ManifestWork[]): boolean {
  const counts = parts.map(({ metadata }) => Number(metadata.annotations?.[PART_ANNOTATION]?.split('/')[1] ?? 1))
  return parts.length > 0 && counts.every((count) => count === parts.length)
}
