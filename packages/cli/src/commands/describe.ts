import { Command } from 'commander'
import { describePlacementCommand } from './describe/placement.js'

/** `orrery describe`. */
export function describeCommand(): Command {
  return new Command('describe')
    .description('Show the details of one object: its spec, its status and recent events.')
    .addCommand(describePlacementCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery describe placement web -n shop`,
    )
}
