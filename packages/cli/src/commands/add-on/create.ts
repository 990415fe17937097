import { join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { print, printText } from '../../shared/print.js'
import { shellWord } from '../option-parsers.js'
import { scaffold } from './scaffold.js'

/** `orrery addon create`. */
export function createAddOnCommand(): Command {
  return new Command('create')
    .description('Write the files of a new add-on in TypeScript: controller, agent, manifests and a test.')
    .argument('<name>', 'name of the add-on')
    .option('--directory <dir>', 'directory of the add-on (default: its name)')
    .addHelpText(
      'after',
      `
Examples:
  orrery addon create node-report
  orrery addon create node-report --directory add-ons/node-report`,
    )
    .action(async (name: string, { directory: chosen }: { readonly directory?: string }) => {
      const directory = resolve(chosen ?? name)
      const files = await scaffold(name, directory)
      const shown = relative('.', directory) || '.'
      for (const file of files) print(`created ${join(shown, file)}`)
      printText(`
Test it, and run it with a hub and a cluster:

  cd ${shellWord(shown)}
  npm install
  npm test
  orrery addon dev
`)
    })
}
