import { fileURLToPath } from 'node:url'
import { type FleetDirectory, HUB, type PartPlan } from '@orrery/fleet'

/** What this program is started by. */
export const ENTRY = fileURLToPath(new URL('../bin/orrery.js', import.meta.url))

/** How much memory a part may take before it rather works harder, in MiB: most never need a tenth of it. */
const HEAP_MIB = 4096

/** Young objects in small pages: parts are idle most of the time, and there are many of them. */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4', `--max-old-space-size=${HEAP_MIB}`]

/** The command that runs a part of a fleet: `orrery hub` or `orrery agent`. */
export function partCommand(directory: FleetDirectory, { name, port }: PartPlan) {
  const part = name === HUB ? ['hub', '--auto-approve'] : ['agent', '--cluster-name', name]
  const where = ['--data', directory.root, '--port', String(port), '--log-format', 'json']
  return { file: process.execPath, arguments: [...NODE_FLAGS, ENTRY, ...part, ...where] }
}
