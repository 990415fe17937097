import type { Pod, Volume } from '@orrery/kinds'
import type { Environment } from '../os/child-process.js'
import { type EnvironmentSources, environmentOf } from '../process/environment.js'
import { subPathOf } from '../process/subpath.js'
import { payloadOf, type VolumeSources } from '../volumes/payload.js'

const NOTHING_GIVEN: Environment = new Map()

/**
 * Makes a played pod wait for the ConfigMaps and Secrets that it requires. Throws the same errors as a pod that runs.
 */
export async function checkReferences(pod: Pod, sources: VolumeSources & EnvironmentSources): Promise<void> {
  for (const volume of pod.spec.volumes ?? []) if (!isAccount(volume)) await payloadOf(pod, volume, sources)
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const environment = await environmentOf(pod, container, NOTHING_GIVEN, sources)
    for (const mount of container.volumeMounts ?? []) subPathOf(mount, (name) => environment.get(name))
  }
}

/** Every pod has this volume, and its sources always exist. */
function isAccount({ projected }: Volume): boolean {
  return projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true
}
