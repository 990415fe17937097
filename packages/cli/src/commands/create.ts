import { Command } from 'commander'
import { createClusterSetCommand } from './create/cluster-set.js'
import { createWorkCommand } from './create/work.js'

/** `orrery create`. */
export function createCommand(): Command {
  return new Command('create')
    .description('Create works and cluster sets.')
    .addCommand(createWorkCommand())
    .addCommand(createClusterSetCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery create work web -f web.yaml --clusters cluster1
  orrery create clusterset eu`,
    )
}
