import { DEMO, DEMO_USERS, type FleetDirectory, HUB, readPlan, registerPrograms, runOvimDemo } from '@orrery/fleet'
import { withTimeLimit } from '@orrery/kube/process'
import { ENTRY } from './entry.js'
import { PACKAGE_DIRECTORY } from './package-directory.js'
import { printText } from './shared/print.js'
import { formatTable } from './shared/table.js'
import { clusterTarget, withTarget } from './shared/target.js'

/** An agent starts, registers, and creates a namespace and a virtual machine. */
const TIMEOUT_MS = 60_000

/** Registers the program of OVIM's spoke agents, before a fleet starts that has or gets OVIM: its files may have moved with an upgrade. */
export async function prepareOvim(directory: FleetDirectory, isAdded: boolean): Promise<void> {
  if (!isAdded && (await readPlan(directory))?.ovim === undefined) return
  // Loaded on demand, so that other starts are faster.
  const { AGENT_IMAGE } = await import('@orrery/ovim/addon')
  await registerPrograms(directory, {
    [AGENT_IMAGE]: {
      command: [process.execPath, ENTRY, 'ovim', 'agent'],
      fixedArgs: true,
      files: [PACKAGE_DIRECTORY],
      // Programs share the network of the machine: others must not reach the agent.
      env: { OVIM_API_ADDRESS: '127.0.0.1' },
    },
  })
}

/** Creates the demo organization with a virtual machine on the first available cluster, and prints it. */
export async function showOvimDemo(
  directory: FleetDirectory,
  unhealthy: readonly { readonly name: string }[],
  signal?: AbortSignal,
): Promise<void> {
  const without = new Set([HUB, ...unhealthy.map(({ name }) => name)])
  const parts = (await readPlan(directory))?.parts ?? []
  const cluster = parts.map(({ name }) => name).find((name) => !without.has(name))
  if (cluster === undefined) return
  const vm = await withTarget(clusterTarget({ data: directory.root }, HUB), (hub) =>
    withTimeLimit(TIMEOUT_MS, signal, (limit) => runOvimDemo(hub, cluster, limit)),
  )
  printText(
    `\n${formatTable(
      [vm],
      [
        { title: 'organization', value: () => DEMO },
        { title: 'vm', value: ({ metadata }) => metadata.name },
        { title: 'cluster', value: ({ status }) => status?.zone },
        { title: 'phase', value: ({ status }) => status?.phase },
        { title: 'address', value: ({ status }) => status?.ipAddress },
      ],
    )}\nIts user is the service account ${DEMO_USERS}/${DEMO}.\n`,
  )
}
