import { Command } from 'commander'
import { createClusterSetCommand } from './create/cluster-set.js'
import { createPlacementCommand } from './create/placement.js'
import { createWorkCommand } from './create/work.js'

/** `orrery create`. */
export function createCommand(): Command {
  return new Command('create')
    .description('Create works, cluster sets and placements.')
    .addCommand(createWorkCommand())
    .addCommand(createClusterSetCommand())
    .addCommand(createPlacementCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery create work web -f web.yaml --clusters cluster1
  orrery create clusterset eu
  orrery create placement web --clustersets eu --count 2`,
    )
}
