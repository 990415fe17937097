import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { agentCommand } from './agent.js'
import { apiserverCommand } from './apiserver.js'
import { acceptCommand } from './commands/accept.js'
import { addOnCommand } from './commands/add-on.js'
import { clusterSetCommand } from './commands/cluster-set.js'
import { clusteradmCommands } from './commands/clusteradm.js'
import { completeCommand, completionCommand } from './commands/completion.js'
import { createCommand } from './commands/create.js'
import { deleteCommand } from './commands/delete.js'
import { describeCommand } from './commands/describe.js'
import { explainCommand } from './commands/explain.js'
import { getCommand } from './commands/get.js'
import { initCommand } from './commands/init.js'
import { joinCommand } from './commands/join.js'
import { maestroCommand } from './commands/maestro.js'
import { organizationCommand } from './commands/org.js'
import { ovimCommand } from './commands/ovim.js'
import { planCommand } from './commands/plan.js'
import { templateCommand } from './commands/template.js'
import { unjoinCommand } from './commands/unjoin.js'
import { vdcCommand } from './commands/vdc.js'
import { vmCommand } from './commands/vm.js'
import { zoneCommand } from './commands/zone.js'
import { downCommand } from './down.js'
import { hubCommand } from './hub.js'
import { statusCommand } from './status.js'
import { upCommand } from './up.js'

/** The command tree. A usage error is printed on standard error and thrown as a `CommanderError`. */
export function program(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const orrery = new Command('orrery')
    .description('Manage a fleet of Kubernetes clusters from one hub.')
    .version(version)
    .addHelpText(
      'after',
      `
Examples:
  orrery up --sample                                    start a hub and two clusters with a sample workload
  orrery get clusters                                   list the clusters of the hub
  orrery create work web -f web.yaml --clusters cluster1
  orrery get works                                      show the status of works
  orrery get token                                      print the command that joins another cluster
  orrery create work --help                             show the help of one command`,
    )
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(statusCommand())
    .addCommand(hubCommand())
    .addCommand(agentCommand())
    .addCommand(apiserverCommand())
    .addCommand(maestroCommand())
    .addCommand(ovimCommand())
    .addCommand(initCommand())
    .addCommand(joinCommand())
    .addCommand(acceptCommand())
    .addCommand(unjoinCommand())
    .addCommand(getCommand())
    .addCommand(describeCommand())
    .addCommand(explainCommand())
    .addCommand(createCommand())
    .addCommand(clusterSetCommand())
    .addCommand(addOnCommand())
    .addCommand(deleteCommand())
    .addCommand(planCommand())
    .addCommand(vmCommand())
    .addCommand(vdcCommand())
    .addCommand(templateCommand())
    .addCommand(zoneCommand())
    .addCommand(organizationCommand())
    .addCommand(completionCommand())
  for (const hidden of [completeCommand(orrery), ...clusteradmCommands()]) orrery.addCommand(hidden, { hidden: true })
  configure(orrery, 'orrery')
  return orrery
}

/** Configures error handling of a command and its subcommands. */
function configure(command: Command, path: string): void {
  command.exitOverride().enablePositionalOptions().showHelpAfterError(`Run "${path} --help" for usage.`)
  for (const child of command.commands) configure(child, `${path} ${child.name()}`)
}
