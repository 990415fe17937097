import { formatKubeconfig, mergeIntoKubeconfig, mergeKubeconfigs, parseKubeconfig } from '@orrery/kube'
import type { FleetDirectory } from './directory.js'
import { writePrivately } from './privatefile.js'

/** Writes the administrators' kubeconfigs of all parts as one, the first of them being the current context. */
export async function writeFleetKubeconfig(directory: FleetDirectory, texts: readonly string[]): Promise<void> {
  const kubeconfigs = await Promise.all(texts.map((text) => parseKubeconfig(text)))
  await writePrivately(directory.kubeconfig, await formatKubeconfig(mergeKubeconfigs(kubeconfigs)))
}

/** Puts the kubeconfig of a part that runs by itself beside those of the others. */
export async function addToFleetKubeconfig(directory: FleetDirectory, text: string): Promise<void> {
  await mergeIntoKubeconfig(directory.kubeconfig, await parseKubeconfig(text), { setCurrent: false })
}
