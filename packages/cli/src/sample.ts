import { type FleetDirectory, HUB, readPlan, runSample, SAMPLE_WORK } from '@orrery/fleet'
import { withTimeLimit } from '@orrery/kube/process'
import { printText } from './shared/print.js'
import { formatTable } from './shared/table.js'
import { clusterTarget, withTarget } from './shared/target.js'

const TIMEOUT_MS = 60_000

/** Creates the sample work for every available cluster of a fleet and prints its status. */
export async function showSample(
  directory: FleetDirectory,
  unhealthy: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<void> {
  const parts = (await readPlan(directory))?.parts ?? []
  const without = new Set([HUB, ...unhealthy.map(({ name }) => name)])
  const clusters = parts.map(({ name }) => name).filter((name) => !without.has(name))
  const results = await withTarget(clusterTarget({ data: directory.root }, HUB), (hub) =>
    withTimeLimit(TIMEOUT_MS, signal, (limit) => runSample(hub, clusters, limit)),
  )
  const feedback = (name: string) => (row: (typeof results)[number]) => row.feedback[name]
  printText(
    `\n${formatTable(results, [
      { title: 'cluster', value: ({ cluster }) => cluster },
      { title: 'work', value: () => SAMPLE_WORK },
      { title: 'available', value: ({ isAvailable }) => (isAvailable ? 'True' : 'False') },
      { title: 'replicas', value: feedback('Replicas') },
      { title: 'ready', value: feedback('ReadyReplicas') },
    ])}`,
  )
}
