import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { agentCommand } from './agent.js'
import { apiserverCommand } from './apiserver.js'
import { acceptCommand } from './commands/accept.js'
import { clusterSetCommand } from './commands/cluster-set.js'
import { clusteradmCommands } from './commands/clusteradm.js'
import { completeCommand, completionCommand } from './commands/completion.js'
import { createCommand } from './commands/create.js'
import { deleteCommand } from './commands/delete.js'
import { getCommand } from './commands/get.js'
import { initCommand } from './commands/init.js'
import { joinCommand } from './commands/join.js'
import { planCommand } from './commands/plan.js'
import { unjoinCommand } from './commands/unjoin.js'
import { downCommand } from './down.js'
import { hubCommand } from './hub.js'
import { statusCommand } from './status.js'
import { upCommand } from './up.js'

/** The whole command line. Wrong usage is told on standard error and thrown as a `CommanderError`. */
export function program(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const orrery = new Command('orrery')
    .description('A fleet of Kubernetes clusters from one command')
    .version(version)
    .addHelpText(
      'after',
      `
Examples:
  orrery up --sample                                    a hub, two clusters, and something to do for them
  orrery get clusters                                   the clusters of the hub
  orrery create work web -f web.yaml --clusters cluster1
  orrery get works                                      what came of it
  orrery get token                                      how another cluster can join
  orrery create work --help                             more about one command`,
    )
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(statusCommand())
    .addCommand(hubCommand())
    .addCommand(agentCommand())
    .addCommand(apiserverCommand())
    .addCommand(initCommand())
    .addCommand(joinCommand())
    .addCommand(acceptCommand())
    .addCommand(unjoinCommand())
    .addCommand(getCommand())
    .addCommand(createCommand())
    .addCommand(clusterSetCommand())
    .addCommand(deleteCommand())
    .addCommand(planCommand())
    .addCommand(completionCommand())
  for (const hidden of [completeCommand(orrery), ...clusteradmCommands()]) orrery.addCommand(hidden, { hidden: true })
  settle(orrery, 'orrery')
  return orrery
}

/** Gives a command and all below it the same manners. */
function settle(command: Command, path: string): void {
  command.exitOverride().enablePositionalOptions().showHelpAfterError(`Run "${path} --help" to see how it is used.`)
  for (const child of command.commands) settle(child, `${path} ${child.name()}`)
}
