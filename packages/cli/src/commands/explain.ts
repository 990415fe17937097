import { Command } from 'commander'
import { explainPlacementCommand } from './explain/placement.js'

/** `orrery explain`. */
export function explainCommand(): Command {
  return new Command('explain')
    .description('Explain decisions of the hub: why it selected clusters, and what would change them.')
    .addCommand(explainPlacementCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery explain placement web -n shop`,
    )
}
