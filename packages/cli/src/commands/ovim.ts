import { Command } from 'commander'
import { ovimAgentCommand } from './ovim/agent.js'

/** `orrery ovim`. */
export function ovimCommand(): Command {
  return new Command('ovim')
    .description('Run the parts of OVIM, which manages virtual machines across clusters.')
    .addCommand(ovimAgentCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery ovim agent --help              show the environment variables of the spoke agent`,
    )
}
