import { Command } from 'commander'
import { ovimAgentCommand } from './ovim/agent.js'
import { ovimHubCommand } from './ovim/hub.js'

/** `orrery ovim`. */
export function ovimCommand(): Command {
  return new Command('ovim')
    .description('Run the parts of OVIM, which manages virtual machines across clusters.')
    .addCommand(ovimHubCommand())
    .addCommand(ovimAgentCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery ovim hub --endpoint https://ovim.example.com:8443
                                        manage virtual machines of a hub's clusters
  orrery ovim agent --help              show the environment variables of the spoke agent`,
    )
}
