import { Pod } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { matchesImage, type Programs } from '@orrery/node/programs'

/** How long a program may take to stop. */
const GRACE_SECONDS = 5

/** Deletes the pods of a cluster that run programs, so that their controllers start them again. Returns their names. */
export async function restartPrograms(client: KubeClient, programs: Programs, signal?: AbortSignal): Promise<string[]> {
  const images = Object.keys(programs)
  const call = { ...(signal !== undefined && { signal }) }
  const { items } = await client.list(Pod, call)
  const running = items.filter(({ metadata, spec }) => {
    const used = spec.containers.flatMap(({ image }) => image ?? [])
    return (
      metadata.deletionTimestamp === undefined && images.some((one) => used.some((image) => matchesImage(one, image)))
    )
  })
  // A controller releases its Lease when it is stopped. If it were killed, the next one would wait for more than two minutes to lead.
  for (const { metadata } of running)
    await client.ensureDeleted(Pod, metadata, { ...call, gracePeriodSeconds: GRACE_SECONDS })
  return running.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)
}
