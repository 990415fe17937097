import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { apiserverCommand } from './apiserver.js'

/** The whole command line. */
export function program(): Command {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return new Command('orrery')
    .description('A fleet of Kubernetes clusters from one command')
    .version(version)
    .showHelpAfterError('(add --help for the options)')
    .addCommand(apiserverCommand())
}
