import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { agentCommand } from './agent.js'
import { apiserverCommand } from './apiserver.js'
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
    .addCommand(upCommand())
    .addCommand(downCommand())
    .addCommand(statusCommand())
    .addCommand(hubCommand())
    .addCommand(agentCommand())
    .addCommand(apiserverCommand())
  settle(orrery, 'orrery')
  return orrery
}

/** Gives a command and all below it the same manners. */
function settle(command: Command, path: string): void {
  command.exitOverride().enablePositionalOptions().showHelpAfterError(`Run "${path} --help" to see how it is used.`)
  for (const child of command.commands) settle(child, `${path} ${child.name()}`)
}
