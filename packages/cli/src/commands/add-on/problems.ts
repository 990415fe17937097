import { controllerProblems, type FleetDirectory, HUB, lastLogLine, readPlan } from '@orrery/fleet'
import {
  type AddOnOverview,
  type AddOnProblem,
  addOnProblems,
  type CrashedContainer,
  logsCommand,
} from '@orrery/hub/operations'
import type { KubeObject } from '@orrery/kinds'
import { isForbidden, type KubeClient } from '@orrery/kube'
import { readAddOn } from '../../shared/fleet-add-ons.js'
import { note } from '../../shared/print.js'
import { clusterTarget, withTarget } from '../../shared/target.js'

/** The problems of an add-on: of its controller on the hub, and on the clusters of the overviews. */
export async function problemsOf(
  hub: KubeClient,
  fleet: FleetDirectory | undefined,
  name: string,
  overviews: readonly AddOnOverview[],
): Promise<AddOnProblem[]> {
  const manifests = fleet === undefined ? [] : await manifestsOf(fleet, name)
  const controllers = await ifAllowed(() => controllerProblems(hub, { name, manifests }))
  return [...controllers, ...(await addOnProblems(hub, overviews))]
}

/** Users who may see add-ons may not be allowed to see pods of the hub. */
async function ifAllowed<T>(read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read()
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

/** The manifests of an add-on that a fleet was started with; none if it was installed in another way, or its directory is gone. */
async function manifestsOf(fleet: FleetDirectory, name: string): Promise<readonly KubeObject[]> {
  const known = (await readPlan(fleet))?.addOns ?? []
  const read = await Promise.allSettled(known.map(readAddOn))
  return read.flatMap((one) =>
    one.status === 'fulfilled' && one.value.bundle.name === name ? one.value.manifests : [],
  )
}

/** Prints problems with the line of the logs that says why a container has crashed, where it can be read. */
export async function printProblems(
  problems: readonly AddOnProblem[],
  hub: KubeClient,
  fleet: FleetDirectory | undefined,
): Promise<void> {
  for (const problem of problems) note(await problemLine(problem, hub, fleet))
}

/** One line: the cluster, the add-on, what is wrong, why, and what to do. */
async function problemLine(
  { cluster, addOn, message, logs }: AddOnProblem,
  hub: KubeClient,
  fleet: FleetDirectory | undefined,
): Promise<string> {
  const log = logs && (await logLine(logs, hub, fleet))
  const parts = [
    `${cluster}/${addOn}: ${message}`,
    ...(log === undefined ? [] : [`its log says: ${log}`]),
    ...(logs === undefined ? [] : [`read the logs with \`${logsCommand(logs)}\``]),
  ]
  return parts.join(': ')
}

/** Undefined for a cluster that is not of the fleet, or does not answer. */
async function logLine(
  logs: CrashedContainer,
  hub: KubeClient,
  fleet: FleetDirectory | undefined,
): Promise<string | undefined> {
  try {
    if (logs.cluster === HUB) return await lastLogLine(hub, logs)
    if (fleet === undefined) return undefined
    return await withTarget(clusterTarget({ data: fleet.root }, logs.cluster), (client) => lastLogLine(client, logs))
  } catch {
    return undefined
  }
}
