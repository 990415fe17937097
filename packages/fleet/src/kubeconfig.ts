import { existsSync } from 'node:fs'
import { formatKubeconfig, mergeIntoKubeconfig, mergeKubeconfigs, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { type FleetDirectory, HUB } from './directory.js'
import { readIfThere, writePrivately } from './privatefile.js'

/** Writes the administrators' kubeconfigs of all parts as one. The hub is the current context. */
export async function writeFleetKubeconfig(directory: FleetDirectory, texts: readonly string[]): Promise<void> {
  const kubeconfigs = await Promise.all(texts.map((text) => parseKubeconfig(text)))
  // The first of merged kubeconfigs takes precedence, so the order is reversed.
  const merged = { ...mergeKubeconfigs(kubeconfigs.toReversed()), currentContext: HUB }
  await writePrivately(directory.kubeconfig, await formatKubeconfig(merged))
}

/** Adds the kubeconfig of a part that was started by hand. */
export async function addToFleetKubeconfig(directory: FleetDirectory, text: string): Promise<void> {
  await mergeIntoKubeconfig(directory.kubeconfig, await parseKubeconfig(text), { setCurrent: false })
}

/** Whether a part without a data directory has served before: then its kubeconfig is in the fleet's. */
export async function hasLostData(directory: FleetDirectory, part: string): Promise<boolean> {
  if (existsSync(directory.data(part))) return false
  const text = await readIfThere(directory.kubeconfig)
  return text !== undefined && (await parseKubeconfig(text)).contexts.has(part)
}
