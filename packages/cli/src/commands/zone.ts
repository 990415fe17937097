import { Command } from 'commander'
import { describeZoneCommand } from './zone/describe.js'
import { listZonesCommand } from './zone/list.js'
import { schedulingCommand } from './zone/scheduling.js'

/** `orrery zone`. */
export function zoneCommand(): Command {
  return new Command('zone')
    .description('Show and control zones: the clusters that run virtual machines.')
    .addCommand(listZonesCommand())
    .addCommand(describeZoneCommand())
    .addCommand(schedulingCommand('cordon'))
    .addCommand(schedulingCommand('uncordon'))
    .addHelpText(
      'after',
      `
A cluster becomes a zone when the add-on ovim is enabled on it: \`orrery addon enable ovim --clusters NAME\`.

Examples:
  orrery zone list
  orrery zone describe cluster1
  orrery zone cordon cluster1`,
    )
}
