import { POWER_ACTIONS } from '@orrery/ovim/client'
import { Command } from 'commander'
import { consoleCommand } from './vm/console.js'
import { createMachineCommand } from './vm/create.js'
import { deleteMachineCommand } from './vm/delete.js'
import { describeMachineCommand } from './vm/describe.js'
import { listMachinesCommand } from './vm/list.js'
import { powerCommand } from './vm/power.js'
import { watchMachinesCommand } from './vm/watch.js'

/** `orrery vm`. */
export function vmCommand(): Command {
  const command = new Command('vm')
    .description('Create, list and control virtual machines on the clusters of the fleet.')
    .addCommand(listMachinesCommand())
    .addCommand(createMachineCommand())
  for (const action of POWER_ACTIONS) command.addCommand(powerCommand(action))
  return command
    .addCommand(describeMachineCommand())
    .addCommand(watchMachinesCommand())
    .addCommand(consoleCommand('console'))
    .addCommand(consoleCommand('vnc'))
    .addCommand(deleteMachineCommand())
    .addHelpText(
      'after',
      `
Examples:
  orrery template list                                   what can be created
  orrery vm create web --template cirros --wait          create a virtual machine, and wait until it runs
  orrery vm list                                         list virtual machines, and why one does not run
  orrery vm stop web --wait
  orrery vm delete web`,
    )
}
