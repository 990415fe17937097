import { join } from 'node:path'
import { type FleetDirectory, HUB, type PartPlan } from '@orrery/fleet'
import { PACKAGE_DIRECTORY } from './package-directory.js'

/** The executable of this program. */
export const ENTRY = join(PACKAGE_DIRECTORY, 'bin/orrery.js')

/** A small young generation and one worker thread: a fleet has many parts, most of them idle. */
const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--v8-pool-size=1']

/** The command that runs a part of a fleet: `orrery hub` or `orrery agent`. */
export function partCommand(directory: FleetDirectory, { name, port }: PartPlan, newStore: boolean) {
  const part = name === HUB ? ['hub', '--auto-approve'] : ['agent', '--cluster-name', name]
  const where = [
    '--data',
    directory.root,
    '--port',
    String(port),
    '--log-format',
    'json',
    ...(newStore ? ['--new-store'] : []),
  ]
  return { file: process.execPath, arguments: [...NODE_FLAGS, ENTRY, ...part, ...where] }
}
