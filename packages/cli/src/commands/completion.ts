import { Argument, Command } from 'commander'
import { printDocument, printText } from '../shared/print.js'
import { completions } from './completion/complete.js'
import { SCRIPTS, SHELLS, type Shell } from './completion/scripts.js'
import { liveValues } from './completion/values.js'

/** `orrery completion`. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print the completion script of a shell.')
    .addArgument(new Argument('<shell>', 'name of the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(orrery completion bash)                                        add it to ~/.bashrc to keep it
  orrery completion zsh > "\${fpath[1]}/_orrery"
  orrery completion fish > ~/.config/fish/completions/orrery.fish`,
    )
    .action((shell: Shell) => {
      printDocument(SCRIPTS[shell])
    })
}

/** Called by the completion scripts with the words up to the cursor. Prints one candidate per line. */
export function completeCommand(program: Command): Command {
  return new Command('__complete')
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const found = await completions(program, words, liveValues)
      printText(found.map((one) => `${one}\n`).join(''))
    })
}
