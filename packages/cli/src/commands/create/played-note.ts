import type { ManifestWork } from '@orrery/api'
import type { FleetDirectory } from '@orrery/fleet'
import { absenceFrom, clusterTarget, withTarget } from '../../shared/target.js'

/** A work, or its parts, as a cluster reports it. */
export interface WorkOnCluster {
  readonly cluster: string
  readonly parts: readonly ManifestWork[]
}

/** Lists objects of a work that are ready only because clusters of a local fleet play their pods. Empty if there are none. */
export async function playedNote(fleet: FleetDirectory, works: readonly WorkOnCluster[]): Promise<string> {
  const clusters = new Map<string, string[]>()
  await Promise.all(
    works.map(async ({ cluster, parts }) => {
      for (const name of await playedOn(fleet, cluster, parts)) {
        clusters.set(name, [...(clusters.get(name) ?? []), cluster])
      }
    }),
  )
  const lines = Array.from(clusters, ([name, on]) => `  ${name} on ${on.toSorted().join(', ')}\n`)
  return lines.length === 0
    ? ''
    : `These pods are played and run no containers: the nodes have no program for their images.\n${lines.join('')}`
}

async function playedOn(fleet: FleetDirectory, cluster: string, parts: readonly ManifestWork[]): Promise<string[]> {
  if ((await absenceFrom(fleet, cluster)) !== undefined) return []
  const { playedWorkloads } = await import('@orrery/fleet/parts')
  // The note is optional: an error of the cluster does not fail the command.
  return withTarget(clusterTarget({ data: fleet.root }, cluster), (client) => playedWorkloads(client, parts)).catch(
    () => [],
  )
}
