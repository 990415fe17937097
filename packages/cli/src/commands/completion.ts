import { Argument, Command } from 'commander'
import { completions } from './completion/complete.js'
import { SCRIPTS, SHELLS, type Shell } from './completion/scripts.js'
import { liveValues } from './completion/values.js'

/** `orrery completion`. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('Print what a shell needs to complete commands, options, and names of clusters, sets and works')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(orrery completion bash)                                        now; in ~/.bashrc for always
  orrery completion zsh > "\${fpath[1]}/_orrery"
  orrery completion fish > ~/.config/fish/completions/orrery.fish`,
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell])
    })
}

/** What the scripts call: the words of a command line up to the cursor, and what the last may become, a line each. */
export function completeCommand(program: Command): Command {
  return new Command('__complete')
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: readonly string[]) => {
      const found = await completions(program, words, liveValues)
      process.stdout.write(found.map((one) => `${one}\n`).join(''))
    })
}
