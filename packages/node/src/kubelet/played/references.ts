import type { Pod, Volume } from '@orrery/kinds'
import { NotStarted } from '../container/not-started.js'
import { ByteBudget } from '../downward-api/byte-budget.js'
import type { Environment } from '../os/child-process.js'
import { type EnvironmentSources, environmentOf } from '../process/environment.js'
import { subPathOf } from '../process/subpath.js'
import { payloadBudget, payloadOf, type VolumeSources } from '../volumes/payload.js'

const NOTHING_GIVEN: Environment = new Map()
/** The most that the variables of all containers of a played pod have together. */
const MOST_BYTES = 16 * 1024 * 1024

/**
 * Makes a played pod wait for the ConfigMaps and Secrets that it requires. Throws the same errors as a pod that runs.
 */
export async function checkReferences(pod: Pod, sources: VolumeSources & EnvironmentSources): Promise<void> {
  const payloads = payloadBudget(pod)
  for (const volume of pod.spec.volumes ?? []) if (!isAccount(volume)) await payloadOf(pod, volume, sources, payloads)
  const variables = new ByteBudget(MOST_BYTES, () => {
    const why = `the variables of pod ${JSON.stringify(pod.metadata.name)} have more than ${MOST_BYTES} bytes`
    return new NotStarted('CreateContainerConfigError', `${why}: shorten them`)
  })
  for (const container of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    const environment = await environmentOf(pod, container, NOTHING_GIVEN, sources, variables)
    for (const mount of container.volumeMounts ?? []) subPathOf(mount, (name) => environment.get(name))
  }
}

/** Every pod has this volume, and its sources always exist. */
function isAccount({ projected }: Volume): boolean {
  return projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken !== undefined) === true
}
