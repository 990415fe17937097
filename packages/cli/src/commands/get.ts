import { Command } from 'commander'
import { getAddOnsCommand } from './get/add-ons.js'
import { getAgentInfoCommand } from './get/agent-info.js'
import { getClusterSetsCommand } from './get/cluster-sets.js'
import { getClustersCommand } from './get/clusters.js'
import { getDecisionsCommand } from './get/decisions.js'
import { getHubInfoCommand } from './get/hub-info.js'
import { getPlacementsCommand } from './get/placements.js'
import { getScoresCommand } from './get/scores.js'
import { getTokenCommand } from './get/token.js'
import { getWorksCommand } from './get/works.js'

/** `orrery get`. */
export function getCommand(): Command {
  return new Command('get')
    .description(
      'Show clusters, works, cluster sets, placements, scores, add-ons, join tokens and details of a hub or an agent.',
    )
    .addCommand(getClustersCommand())
    .addCommand(getWorksCommand())
    .addCommand(getClusterSetsCommand())
    .addCommand(getPlacementsCommand())
    .addCommand(getDecisionsCommand())
    .addCommand(getScoresCommand())
    .addCommand(getAddOnsCommand())
    .addCommand(getTokenCommand())
    .addCommand(getHubInfoCommand())
    .addCommand(getAgentInfoCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery get clusters
  orrery get works --clusters cluster1 -o wide
  orrery get placements -A
  orrery get token`,
    )
}
