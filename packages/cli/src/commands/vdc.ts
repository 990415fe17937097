import { Command } from 'commander'
import { createVdcCommand } from './vdc/create.js'
import { deleteVdcCommand } from './vdc/delete.js'
import { describeVdcCommand } from './vdc/describe.js'
import { listVdcsCommand } from './vdc/list.js'
import { updateVdcCommand } from './vdc/update.js'

/** `orrery vdc`. */
export function vdcCommand(): Command {
  return new Command('vdc')
    .description(
      'Manage virtual data centers: parts of clusters with a quota, for virtual machines of an organization.',
    )
    .addCommand(listVdcsCommand())
    .addCommand(createVdcCommand())
    .addCommand(updateVdcCommand())
    .addCommand(describeVdcCommand())
    .addCommand(deleteVdcCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery vdc create dev --zone cluster1 --cpu 8 --memory 32Gi --wait
  orrery vdc list
  orrery vdc update dev --cpu 16`,
    )
}
