import { Command } from 'commander'
import { getAgentInfoCommand } from './get/agent-info.js'
import { getClusterSetsCommand } from './get/cluster-sets.js'
import { getClustersCommand } from './get/clusters.js'
import { getHubInfoCommand } from './get/hub-info.js'
import { getTokenCommand } from './get/token.js'
import { getWorksCommand } from './get/works.js'

/** `orrery get`. */
export function getCommand(): Command {
  return new Command('get')
    .description('Show clusters, works, cluster sets, join tokens and details of a hub or an agent.')
    .addCommand(getClustersCommand())
    .addCommand(getWorksCommand())
    .addCommand(getClusterSetsCommand())
    .addCommand(getTokenCommand())
    .addCommand(getHubInfoCommand())
    .addCommand(getAgentInfoCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery get clusters
  orrery get works --clusters cluster1 -o wide
  orrery get token`,
    )
}
