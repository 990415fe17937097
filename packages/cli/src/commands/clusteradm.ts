import { Command, Option } from 'commander'

/** Commands of clusteradm that are not here, with what to do instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  clean:
    'a local fleet is stopped by `orrery down`, and is gone when its directory is deleted; for a hub on a given Kubernetes, see "Removing a hub" in docs/operating.md',
  upgrade: 'stop the hub or the agent, install the new version of Orrery, and start it again',
  version: 'the version is printed by `orrery --version`',
}

/** Commands that nobody is shown, and that tell people who know them from clusteradm what to type here. */
export function clusteradmCommands(): Command[] {
  return Object.entries(INSTEAD).map(([name, instead]) => {
    const command = new Command(name).allowUnknownOption().allowExcessArguments()
    return command.action(() => command.error(`error: there is no command '${name}' as clusteradm has it: ${instead}`))
  })
}

/**
 * Makes a command tell people who know options of it from clusteradm what to do here, by the flags of each. Nothing to
 * tell means that it does so anyway. Help does not show them.
 */
export function knowFromClusteradm(command: Command, instead: Readonly<Record<string, string | undefined>>): Command {
  for (const [flags, advice] of Object.entries(instead)) {
    const option = new Option(flags).hideHelp()
    command.addOption(option)
    if (advice === undefined) continue
    command.on(`option:${option.name()}`, () => {
      command.error(`error: ${option.long} is an option of clusteradm: ${advice}`)
    })
  }
  return command
}
